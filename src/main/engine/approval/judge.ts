import type { JudgedCall, Policy, Verdict } from './policy'
import type { CommandPart } from './shell/command-part'

/** A verdict on a part of a command. */
export interface PartVerdict {
  part: CommandPart
  verdict: Verdict
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
  return strictest(judgeParts(policies, call))
}

/** The verdict on each part of a command. */
export function judgeParts(policies: readonly Policy[], call: JudgedCall): PartVerdict[] {
  return (call.parts ?? []).map((part) => ({ part, verdict: judgeOne(policies, { ...call, part }) }))
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

function judgeOne(policies: readonly Policy[], call: JudgedCall): Verdict {
  for (const policy of policies) {
    const verdict = policy(call)
    if (verdict) return verdict
  }
  return { decision: 'ask', reason: 'No policy has an opinion on this call.' }
}

function shown(source: string): string {
  const line = source.replace(/\s+/g, ' ')
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``
}
