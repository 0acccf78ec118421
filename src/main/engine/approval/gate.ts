import { CodedError } from '../../../shared/model/errors'
import type { Approval, ApprovalOption, ApprovalOutcome, PermissionMode, RuleChoice } from '../../../shared/model/approval'
import type { EventBody } from '../../../shared/model/event'
import type { ApprovalAnswer } from '../engine-api'
import type { PreparedCall } from '../tool/tool'
import type { Gate, GateAnswer, GateCall } from '../loop/gate'
import type { Workspace } from '../workspace/workspace'
import type { PastCall } from './choices/past-calls'
import type { RuleOffer } from './choices/rule-offers'
import { judge } from './judge'
import type { JudgedCall, Policy, Verdict } from './policy'
import type { PermissionRule } from './rules/permission-rule'
import { inspectCommand } from './shell/inspect-command'

export interface GateDeps {
  policies: readonly Policy[]
  mode(): PermissionMode
  /** See `JudgedCall`. */
  home: string
  ownOutput: readonly string[]
  /** The session's folders as they are now. */
  workspace(): Workspace
  /** The rules as they are now. */
  rules(): Promise<readonly PermissionRule[]>
  record(...events: EventBody[]): void
  /** Whether somebody is there to be asked. */
  canAsk(): boolean
  now(): number
  newId(prefix: string): string
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
  /** Writes allow rules into the user's own configuration; `config.write_failed` and nothing is changed otherwise. */
  keepRules(patterns: readonly string[]): Promise<void>
  /** What the session has done before, newest first, to show what a rule would have meant for it. */
  pastCalls(): Promise<readonly PastCall[]>
}

export interface ApprovalGate {
  gate: Gate
  /** Settles a waiting approval; `approval.gone` when it does not wait any more, `config.write_failed` when its rule cannot be kept. */
  reply(answer: ApprovalAnswer): Promise<void>
  /** What "always" can cover for a waiting approval, narrowest first. */
  choices(approvalId: string): Promise<RuleChoice[]>
  /** Judges what waits again, after rules have changed: what a rule now allows or denies is settled by it. */
  reconsider(): Promise<void>
}

interface Waiting {
  approval: Approval
  request: GateCall
  /** What "always" can cover. */
  offers: readonly RuleOffer[]
  /** An answer to it is being carried out. */
  answering?: boolean
  settle(answer: GateAnswer): void
}

const WAYS_ROUND = 'Do not try to get round this; go on without it, or say what you need and why.'

/** Judges calls and asks the user about the rest. Requests wait side by side; each is answered once. */
export function createGate(deps: GateDeps): ApprovalGate {
  const waiting = new Map<string, Waiting>()

  /** A call as it is judged now. */
  async function judgedCall({ tool, call }: Pick<GateCall, 'tool' | 'call'>): Promise<JudgedCall> {
    const workspace = deps.workspace()
    const [rules, parts] = await Promise.all([deps.rules(), partsOf(call, workspace)])
    return {
      tool,
      call,
      mode: deps.mode(),
      workspace,
      rules,
      ...(parts && { parts }),
      isRemembered: deps.isRemembered,
      home: deps.home,
      ownOutput: deps.ownOutput,
    }
  }

  const gate: Gate = async (request, signal) => {
    const judged = await judgedCall(request)
    const verdict = judge(deps.policies, judged)
    signal.throwIfAborted()
    if (verdict.decision === 'allow') return { allowed: true }
    if (verdict.decision === 'deny') return { allowed: false, message: `Denied: ${verdict.reason} ${WAYS_ROUND}` }
    if (!deps.canAsk()) {
      return { allowed: false, message: `Denied: this needs an approval (${verdict.reason}) and nobody is there to give it. ${WAYS_ROUND}` }
    }
    return ask(request, judged, verdict, signal)
  }

  async function ask(request: GateCall, judged: JudgedCall, { reason, everyTime }: Verdict, signal: AbortSignal): Promise<GateAnswer> {
    const preview = await request.preview().catch(() => undefined)
    const { ruleOffers } = await import('./choices/rule-offers')
    signal.throwIfAborted()
    const offers = everyTime ? [] : ruleOffers(deps.policies, judged)
    const approval: Approval = {
      approvalId: deps.newId('approval'),
      turnId: request.turnId,
      callId: request.callId,
      tool: request.tool.name,
      summary: request.call.summary,
      reason,
      ...(preview && { preview }),
      options: optionsFor(offers[0]),
      requestedAt: deps.now(),
    }
    return new Promise<GateAnswer>((resolve, reject) => {
      const cancel = (): void => {
        waiting.delete(approval.approvalId)
        deps.record(resolved(approval, 'cancelled', { reason: 'The turn was stopped.' }))
        reject(new Error('stopped'))
      }
      waiting.set(approval.approvalId, {
        approval,
        request,
        offers,
        settle: (answer) => {
          signal.removeEventListener('abort', cancel)
          resolve(answer)
        },
      })
      signal.addEventListener('abort', cancel, { once: true })
      deps.record({ type: 'approval.requested', approval })
    })
  }

  async function reply({ approvalId, optionId, feedback, rule }: ApprovalAnswer): Promise<void> {
    const entry = waiting.get(approvalId)
    if (!entry || entry.answering) throw new CodedError('approval.gone', 'This approval does not wait any more.')
    const option = entry.approval.options.find((candidate) => candidate.optionId === optionId)
    if (!option)
      throw new CodedError('request.invalid', `optionId: one of ${entry.approval.options.map((known) => known.optionId).join(', ')}`)
    const granted = option.kind === 'allow_always' ? grantedRule(entry.offers, rule) : undefined
    if (granted?.scope === 'user') await keep(entry, granted.pattern)
    waiting.delete(approvalId)
    const words = feedback?.trim()
    deps.record(resolved(entry.approval, option.kind, { ...(words && { feedback: words }), ...(granted && { rule: granted }) }))
    entry.settle(option.kind === 'reject_once' ? { allowed: false, message: rejection(words) } : { allowed: true })
    if (granted) await reconsider()
  }

  /** While the file is written nobody else can answer; the turn can still be stopped. */
  async function keep(entry: Waiting, pattern: string): Promise<void> {
    entry.answering = true
    try {
      await deps.keepRules(pattern.split('\n'))
    } finally {
      entry.answering = false
    }
    if (waiting.get(entry.approval.approvalId) !== entry)
      throw new CodedError('approval.gone', 'The turn was stopped meanwhile. The rule is in your config.toml.')
  }

  async function choices(approvalId: string): Promise<RuleChoice[]> {
    const entry = waiting.get(approvalId)
    if (!entry) throw new CodedError('approval.gone', 'This approval does not wait any more.')
    if (entry.offers.length === 0) return []
    const { ruleChoices } = await import('./choices/rule-choices')
    return ruleChoices(deps.policies, entry.offers, await judgedCall(entry.request), await deps.pastCalls())
  }

  async function reconsider(): Promise<void> {
    for (const entry of waiting.values()) {
      const { decision, rule, reason } = judge(deps.policies, await judgedCall(entry.request))
      const { approval } = entry
      if (!rule || decision === 'ask' || entry.answering || waiting.get(approval.approvalId) !== entry) continue
      waiting.delete(approval.approvalId)
      deps.record(resolved(approval, decision === 'allow' ? 'allow_always' : 'reject_once', { reason }))
      entry.settle(decision === 'allow' ? { allowed: true } : { allowed: false, message: `Denied: ${reason} ${WAYS_ROUND}` })
    }
  }

  return { gate, reply, choices, reconsider }
}

/** What a command does, taken apart; undefined for a call that runs none. */
export async function partsOf(call: PreparedCall, workspace: Workspace): Promise<JudgedCall['parts']> {
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length === 0) return undefined
  return (await Promise.all(commands.map(({ command, cwd }) => inspectCommand(command, cwd, workspace)))).flat()
}

/** What is granted: exactly one of what was offered; the narrowest, for the session, when nothing is named. */
function grantedRule(offers: readonly RuleOffer[], rule: ApprovalAnswer['rule']): NonNullable<ApprovalAnswer['rule']> | undefined {
  const offer = rule ? offers.find(({ pattern }) => pattern === rule.pattern) : offers[0]
  if (!offer) throw new CodedError('request.invalid', 'rule.pattern: it must be one of the choices of this approval, exactly as given.')
  return { pattern: offer.pattern, scope: rule?.scope ?? 'session' }
}

function optionsFor(narrowest: RuleOffer | undefined): ApprovalOption[] {
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
    ...(narrowest
      ? [{ optionId: 'allow_always', kind: 'allow_always' as const, name: `Always allow ${narrowest.label} in this session` }]
      : []),
    { optionId: 'reject', kind: 'reject_once', name: 'Reject with a reason' },
  ]
}

function resolved(
  approval: Approval,
  outcome: ApprovalOutcome,
  more: { feedback?: string; reason?: string; rule?: ApprovalAnswer['rule'] },
): EventBody {
  return { type: 'approval.resolved', approvalId: approval.approvalId, callId: approval.callId, outcome, ...more }
}

function rejection(feedback: string | undefined): string {
  return feedback ? `The user rejected this call and says: ${feedback}` : `The user rejected this call. ${WAYS_ROUND}`
}
