import { EvaluationTime, EvaluationTimeout, evaluationLimit } from '../shell/evaluation-time'
import type { JudgedCall, PartVerdict, Policy, Verdict } from '../rules/policy'
import { commandAfterMail } from './after-mail'
import { sandboxVerdict } from './sandbox-verdict'
import { isDangerous, type Approval, type ApprovalReason } from '../../../../shared/model/approval/approval'
import { foldText, visibleText } from '../../../../shared/visible-text'
import { dangerous } from './boundaries'
import { shortText } from '../../../../shared/cut-text'

/**
 * Time limit for applying all rules and policies to one call that is long or has many rules, in ms; a call that takes
 * longer asks.
 */
const LONG_MS = 7
/** The length that one rule counts as, in characters. */
const CHARS_OF_RULE = 5
const TOO_LONG: Verdict = {
  decision: 'ask',
  reason: 'There are too many rules, or it is too long, to be checked in time.',
  everyTime: true,
}
/** Maximum number of reasons given for a command that is allowed part by part. */
const MAX_REASONS = 3

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const

/**
 * The first opinion wins; for a command, the strictest verdict on any of its parts. With no policies, or a command
 * without parts, it asks: when in doubt, never allow.
 */
export function judge(policies: readonly Policy[], call: JudgedCall): Verdict {
  // In plan mode, hidden code does not ask either.
  if (!call.parts || (call.plan && call.parts.length === 0)) return judgeOne(policies, call)
  const verdicts = judgeParts(policies, call)
  return commandAfterMail(call, sandboxVerdict(call, verdicts, strictest(verdicts)))
}

/** The verdict on each part of a command. */
export function judgeParts(policies: readonly Policy[], call: JudgedCall): PartVerdict[] {
  const time = timeFor(call)
  return (call.parts ?? []).map((part) => ({ part, verdict: judgeOne(policies, { ...call, part }, time) }))
}

/** The verdict for the whole command; with several parts, it names the part that decided. */
export function strictest(verdicts: readonly PartVerdict[]): Verdict {
  const [first, ...more] = verdicts
  if (!first) return { decision: 'ask', reason: 'What this command does cannot be seen.' }
  const worst = more.reduce((strict, next) => (outranks(next.verdict, strict.verdict) ? next : strict), first)
  const everyTime = verdicts.some(({ verdict }) => verdict.decision === 'ask' && verdict.everyTime)
  const { verdict, part } = worst
  if (verdict.decision === 'allow' && more.length > 0) return { ...verdict, ...allReasons(verdicts) }
  const named =
    more.length > 0 && verdict.decision !== 'allow' ? `${shown(part.source)}: ${verdict.reason}` : verdict.reason
  return { ...verdict, reason: named, ...(everyTime && { everyTime }) }
}

/**
 * Whether a verdict is stricter, or equally strict but due to a rule when the other is not: for an allowed command, the
 * rule is the more useful reason.
 */
function outranks(next: Verdict, than: Verdict): boolean {
  const stricter = STRICTNESS[next.decision] - STRICTNESS[than.decision]
  return (
    stricter > 0 || (stricter === 0 && next.decision === 'allow' && next.rule !== undefined && than.rule === undefined)
  )
}

/** Why every part is allowed: each reason once, up to the limit. */
function allReasons(verdicts: readonly PartVerdict[]): Pick<Verdict, 'reason' | 'rule'> {
  const reasons = [...new Set(verdicts.map(({ verdict }) => verdict.reason))]
  const rule = verdicts.find(({ verdict }) => verdict.rule)?.verdict.rule
  const more = reasons.length > MAX_REASONS ? ` And ${reasons.length - MAX_REASONS} more.` : ''
  return { reason: reasons.slice(0, MAX_REASONS).join(' ') + more, ...(rule && { rule }) }
}

function timeFor({ parts = [], rules }: JudgedCall): EvaluationTime {
  const chars = parts.reduce((sum, { source }) => sum + source.length, rules.length * CHARS_OF_RULE)
  return new EvaluationTime(evaluationLimit(chars, LONG_MS))
}

function judgeOne(policies: readonly Policy[], call: JudgedCall, time = timeFor(call)): Verdict {
  return decided(policies, call, time).verdict
}

/** The verdict on a call, or on the judged part of it, with the policy that decided. */
export function decided(
  policies: readonly Policy[],
  call: JudgedCall,
  time = timeFor(call),
): { verdict: Verdict; policy?: Policy } {
  const timed = { ...call, time }
  try {
    for (const policy of policies) {
      time.check()
      const verdict = policy(timed)
      if (verdict) return { verdict, policy }
    }
  } catch (error) {
    if (error instanceof EvaluationTimeout) return { verdict: TOO_LONG }
    throw error
  }
  return { verdict: { decision: 'ask', reason: 'No policy has an opinion on this call.' } }
}

function shown(source: string): string {
  const line = source.replace(/\s+/g, ' ')
  return `\`${shortText(line, 80)}\``
}

/**
 * Every reason why a call asks, dangers first: the verdict names only the strictest one, but the user needs all of
 * them, for all parts of a command. Empty when the only reason is not a danger. `first` precedes the others.
 */
export function approvalReasons(
  policies: readonly Policy[],
  judged: JudgedCall,
  first?: string,
): Pick<Approval, 'reasons'> {
  const { parts } = judged
  const found = parts
    ? parts.flatMap((part) =>
        askReasons(policies, { ...judged, part }).map((reason) =>
          parts.length > 1 ? { ...reason, part: foldText(visibleText(part.source)) } : reason,
        ),
      )
    : askReasons(policies, judged)
  const once = [...new Map(found.map((reason) => [`${reason.part ?? ''}\n${reason.text}`, reason])).values()]
  if (once.length < 2 && !isDangerous({ reasons: once })) return {}
  const sorted = once.toSorted((a, b) => Number(b.danger ?? false) - Number(a.danger ?? false))
  return { reasons: first === undefined ? sorted : [{ text: first }, ...sorted] }
}

/**
 * What each policy asks about, up to the first that allows or denies. The last policy asks about everything and is
 * named only when no other asks.
 */
function askReasons(policies: readonly Policy[], judged: JudgedCall): ApprovalReason[] {
  const reasons: ApprovalReason[] = []
  for (const [index, policy] of policies.entries()) {
    const verdict = policy(judged)
    if (!verdict) continue
    if (verdict.decision !== 'ask' || (index === policies.length - 1 && reasons.length > 0)) break
    reasons.push({ text: visibleText(verdict.reason), ...(policy === dangerous && { danger: true }) })
  }
  return reasons
}
