import { EvaluationTime, EvaluationTimeout, limitFor } from './evaluation-time'
import type { JudgedCall, PartVerdict, Policy, Verdict } from './policy'
import { sandboxVerdict } from './sandbox-verdict'

/** All rules and policies have this long for one call that is long, or has many rules, in ms; what takes longer asks. */
const LONG_MS = 7
/** A rule counts as so many characters. */
const CHARS_OF_RULE = 5
const TOO_LONG: Verdict = {
  decision: 'ask',
  reason: 'There are too many rules, or it is too long, to be checked in time.',
  everyTime: true,
}
/** As many reasons are told of a command that is allowed part by part. */
const MOST_REASONS = 3

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const

/**
 * The first opinion wins; of a command, the strictest verdict on any of its parts. An empty list, or no part at all, means ask: doubt never
 * allows.
 */
export function judge(policies: readonly Policy[], call: JudgedCall): Verdict {
  // In plan mode, what cannot be seen is not asked about either.
  if (!call.parts || (call.plan && call.parts.length === 0)) return judgeOne(policies, call)
  const verdicts = judgeParts(policies, call)
  return sandboxVerdict(call, verdicts, strictest(verdicts))
}

/** The verdict on each part of a command. */
export function judgeParts(policies: readonly Policy[], call: JudgedCall): PartVerdict[] {
  const time = timeFor(call)
  return (call.parts ?? []).map((part) => ({ part, verdict: judgeOne(policies, { ...call, part }, time) }))
}

/** The verdict that counts for the whole command, with the part it is about named where there are several. */
export function strictest(verdicts: readonly PartVerdict[]): Verdict {
  const [first, ...more] = verdicts
  if (!first) return { decision: 'ask', reason: 'What this command does cannot be seen.' }
  const worst = more.reduce((strict, next) => (isTelling(next.verdict, strict.verdict) ? next : strict), first)
  const everyTime = verdicts.some(({ verdict }) => verdict.decision === 'ask' && verdict.everyTime)
  const { verdict, part } = worst
  if (verdict.decision === 'allow' && more.length > 0) return { ...verdict, ...allReasons(verdicts) }
  const named = more.length > 0 && verdict.decision !== 'allow' ? `${shown(part.source)}: ${verdict.reason}` : verdict.reason
  return { ...verdict, reason: named, ...(everyTime && { everyTime }) }
}

/** Stricter; or as strict, and due to a rule where the other is not: of an allowed command, the rule is what one wants to know. */
function isTelling(next: Verdict, than: Verdict): boolean {
  const stricter = STRICTNESS[next.decision] - STRICTNESS[than.decision]
  return stricter > 0 || (stricter === 0 && next.decision === 'allow' && next.rule !== undefined && than.rule === undefined)
}

/** Why every part is allowed: each reason once, the first few. */
function allReasons(verdicts: readonly PartVerdict[]): Pick<Verdict, 'reason' | 'rule'> {
  const reasons = [...new Set(verdicts.map(({ verdict }) => verdict.reason))]
  const rule = verdicts.find(({ verdict }) => verdict.rule)?.verdict.rule
  const more = reasons.length > MOST_REASONS ? ` And ${reasons.length - MOST_REASONS} more.` : ''
  return { reason: reasons.slice(0, MOST_REASONS).join(' ') + more, ...(rule && { rule }) }
}

function timeFor({ parts = [], rules }: JudgedCall): EvaluationTime {
  const chars = parts.reduce((sum, { source }) => sum + source.length, rules.length * CHARS_OF_RULE)
  return new EvaluationTime(limitFor(chars, LONG_MS))
}

function judgeOne(policies: readonly Policy[], call: JudgedCall, time = timeFor(call)): Verdict {
  try {
    for (const policy of policies) {
      time.check()
      const verdict = policy({ ...call, time })
      if (verdict) return verdict
    }
  } catch (error) {
    if (error instanceof EvaluationTimeout) return TOO_LONG
    throw error
  }
  return { decision: 'ask', reason: 'No policy has an opinion on this call.' }
}

function shown(source: string): string {
  const line = source.replace(/\s+/g, ' ')
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``
}
