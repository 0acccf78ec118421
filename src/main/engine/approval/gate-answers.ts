import {
  type Judgement,
  REJECT_STOP,
  type ApprovalProposal,
  type EditedProposal,
  REJECT_OPTIONS,
  type ApprovalOption,
} from '../../../shared/model/approval/approval'
import type { GateAnswer } from '../loop/call-lifecycle'
import type { Verdict } from './rules/policy'
import { textOf } from '../../../shared/model/turn/message'
import type { PersonQuestion, PreparedCall, Refusal } from '../tool/tool'
import type { RecordedEvent } from '../../../shared/events/event'
import { CodedError } from '../../../shared/errors'
import { visibleCall } from './visible-preview'
import { visibleLine } from '../../../shared/visible-text'
import type { RuleOffer } from './choices/rule-offers'
import type { ApprovalAnswer } from './waiting-requests'

const NO_WORKAROUND = 'Do not work around this. Continue without it, or say what you need and why.'

/** The answer to a call that a policy denies. */
export function denialAnswer(verdict: Verdict): GateAnswer {
  return {
    allowed: false,
    message: `Denied: ${verdict.reason} ${NO_WORKAROUND}`,
    judged: judgementOf({ ...verdict, decision: 'deny' }),
  }
}

/** The recorded form of a verdict. */
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

/** The message to the agent for a call that the user rejected. */
export function rejectionMessage(feedback: string | undefined, stops = false): string {
  if (stops) return `The user rejected this call and stopped the turn${feedback ? `. They say: ${feedback}` : '.'}`
  return feedback
    ? `The user rejected this call and says: ${feedback}`
    : `The user rejected this call. ${NO_WORKAROUND}`
}

/** The answer to a call that is itself a question, when no user is available: the question is kept anyway. */
export async function unattendedAnswer(call: PreparedCall, asks: PersonQuestion): Promise<GateAnswer> {
  const problem = await call.check?.()
  if (problem) return { allowed: false, message: textOf(problem.content) }
  await asks.asking?.()
  return { allowed: false, message: asks.unattended }
}

const RESOLUTION_MESSAGES = {
  allow_once: 'It was already allowed.',
  allow_always: 'It was already allowed permanently.',
  reject_once: 'It was already rejected.',
  cancelled: 'It was closed.',
} as const

/** How a request ended, as a sentence; undefined when these events do not show it. */
export function describeResolution(events: readonly RecordedEvent[], approvalId: string): string | undefined {
  const end = events.findLast((event) => event.type === 'approval.resolved' && event.approvalId === approvalId)
  if (end?.type !== 'approval.resolved') return undefined
  if (end.chosen === REJECT_STOP) return 'It was already rejected, and its turn was stopped.'
  if (end.chosen !== undefined) return 'It was already answered.'
  return end.reason === undefined
    ? RESOLUTION_MESSAGES[end.outcome]
    : `${RESOLUTION_MESSAGES[end.outcome]} ${end.reason}`
}

/** The call with the user's text. Throws `request.invalid` when the call writes no such text or would fail with it. */
export async function withEdit(call: PreparedCall, { path, text }: EditedProposal): Promise<PreparedCall> {
  const texts = await call.proposal?.texts()
  if (!call.proposal || texts?.path !== path)
    throw new CodedError('request.invalid', `edited: this call writes no text to ${path} that could be changed.`)
  const made = await call.proposal.withText(text)
  if ('refused' in made) throw new CodedError('request.invalid', `edited: ${textOf(made.refused.content)}`)
  return made
}

/** What a call proposes to write, or would write with the user's text; undefined when it cannot be edited. */
export async function proposalOf(
  call: PreparedCall | Refusal,
  edited: EditedProposal | undefined,
): Promise<ApprovalProposal | undefined> {
  const texts = 'refused' in call ? undefined : await call.proposal?.texts()
  if (!texts || 'refused' in call) return undefined
  const made = edited ? await withEdit(call, edited) : call
  const { preview } = await visibleCall(made.summary, made.preview ?? (async () => undefined))
  return { ...texts, ...(preview && { preview }) }
}

/** The rule to grant: exactly one of the offers, or the narrowest one for the session when no rule is specified. */
export function grantedRule(
  offers: readonly RuleOffer[],
  rule: ApprovalAnswer['rule'],
): NonNullable<ApprovalAnswer['rule']> | undefined {
  const offer = rule ? offers.find(({ pattern }) => pattern === rule.pattern) : offers[0]
  if (!offer)
    throw new CodedError(
      'request.invalid',
      'rule.pattern: it must be one of the choices of this approval, exactly as given.',
    )
  return { pattern: offer.pattern, scope: rule?.scope ?? 'session' }
}

/** The options on the approval card of a call that is not a command; "Allow always" only with an offer. */
export function optionsFor(narrowest: RuleOffer | undefined): ApprovalOption[] {
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
    ...(narrowest
      ? [
          {
            optionId: 'allow_always',
            kind: 'allow_always' as const,
            name: `Always allow ${visibleLine(narrowest.label)} in this session`,
          },
        ]
      : []),
    ...REJECT_OPTIONS,
  ]
}
