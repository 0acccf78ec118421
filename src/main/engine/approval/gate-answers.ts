import type { Judgement } from '../../../shared/model/approval'
import type { GateAnswer } from '../loop/gate'
import type { Verdict } from './policy'

const WAYS_ROUND = 'Do not try to get round this; go on without it, or say what you need and why.'

/** The answer to a call that a policy denies. */
export function denied(verdict: Verdict): GateAnswer {
  return { allowed: false, message: `Denied: ${verdict.reason} ${WAYS_ROUND}`, judged: judgementOf({ ...verdict, decision: 'deny' }) }
}

/** What of a verdict is recorded. */
export function judgementOf({ decision, reason, rule, sandbox }: Verdict): Judgement {
  return {
    decision: decision === 'allow' ? 'allow' : 'deny',
    reason,
    ...(sandbox && decision === 'allow' && { sandbox: sandbox.level }),
    ...(rule && {
      rule: {
        decision: rule.decision,
        pattern: rule.pattern,
        scope: rule.scope,
        file: rule.file,
        ...(rule.line !== undefined && { line: rule.line }),
      },
    }),
  }
}

/** What the agent is told of a call that a person rejected. */
export function rejection(feedback: string | undefined, stops = false): string {
  if (stops) return `The user rejected this call and stopped the turn${feedback ? `. They say: ${feedback}` : '.'}`
  return feedback ? `The user rejected this call and says: ${feedback}` : `The user rejected this call. ${WAYS_ROUND}`
}
