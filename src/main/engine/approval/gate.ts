import { CodedError } from '../../../shared/model/errors'
import type { Approval, ApprovalOption, ApprovalOutcome, PermissionMode } from '../../../shared/model/approval'
import type { EventBody } from '../../../shared/model/event'
import type { PreparedCall } from '../tool/tool'
import type { Gate, GateAnswer, GateCall } from '../loop/gate'
import type { Workspace } from '../workspace/workspace'
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
}

export interface ApprovalGate {
  gate: Gate
  /** Settles a waiting approval; `approval.gone` when it does not wait any more. */
  reply(answer: { approvalId: string; optionId: string; feedback?: string }): void
}

interface Waiting {
  approval: Approval
  rememberKey?: string
  settle(answer: GateAnswer): void
}

const WAYS_ROUND = 'Do not try to get round this; go on without it, or say what you need and why.'

/** Judges calls and asks the user about the rest. Requests wait side by side; each is answered once. */
export function createGate(deps: GateDeps): ApprovalGate {
  const waiting = new Map<string, Waiting>()

  const gate: Gate = async (request, signal) => {
    const workspace = deps.workspace()
    const [rules, parts] = await Promise.all([deps.rules(), partsOf(request.call, workspace)])
    const verdict = judge(deps.policies, {
      tool: request.tool,
      call: request.call,
      mode: deps.mode(),
      workspace,
      rules,
      ...(parts && { parts }),
      isRemembered: deps.isRemembered,
      home: deps.home,
      ownOutput: deps.ownOutput,
    })
    signal.throwIfAborted()
    if (verdict.decision === 'allow') return { allowed: true }
    if (verdict.decision === 'deny') return { allowed: false, message: `Denied: ${verdict.reason} ${WAYS_ROUND}` }
    if (!deps.canAsk()) {
      return { allowed: false, message: `Denied: this needs an approval (${verdict.reason}) and nobody is there to give it. ${WAYS_ROUND}` }
    }
    return ask(request, verdict, signal)
  }

  async function ask(request: GateCall, { reason, everyTime }: Verdict, signal: AbortSignal): Promise<GateAnswer> {
    const preview = await request.preview().catch(() => undefined)
    signal.throwIfAborted()
    const rememberAs = everyTime ? undefined : request.call.rememberAs
    const approval: Approval = {
      approvalId: deps.newId('approval'),
      turnId: request.turnId,
      callId: request.callId,
      tool: request.tool.name,
      summary: request.call.summary,
      reason,
      ...(preview && { preview }),
      options: optionsFor(rememberAs?.label),
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
        ...(rememberAs && { rememberKey: rememberAs.key }),
        settle: (answer) => {
          signal.removeEventListener('abort', cancel)
          resolve(answer)
        },
      })
      signal.addEventListener('abort', cancel, { once: true })
      deps.record({ type: 'approval.requested', approval })
    })
  }

  function reply({ approvalId, optionId, feedback }: { approvalId: string; optionId: string; feedback?: string }): void {
    const entry = waiting.get(approvalId)
    if (!entry) throw new CodedError('approval.gone', 'This approval does not wait any more.')
    const option = entry.approval.options.find((candidate) => candidate.optionId === optionId)
    if (!option)
      throw new CodedError('request.invalid', `optionId: one of ${entry.approval.options.map((known) => known.optionId).join(', ')}`)
    waiting.delete(approvalId)
    const words = feedback?.trim()
    const remembered = option.kind === 'allow_always' ? entry.rememberKey : undefined
    deps.record(
      resolved(entry.approval, option.kind, { ...(words && { feedback: words }), ...(remembered !== undefined && { remembered }) }),
    )
    entry.settle(option.kind === 'reject_once' ? { allowed: false, message: rejection(words) } : { allowed: true })
  }

  return { gate, reply }
}

/** What a command does, taken apart; undefined for a call that runs none. */
export async function partsOf(call: PreparedCall, workspace: Workspace): Promise<JudgedCall['parts']> {
  const commands = call.accesses.filter((access) => access.kind === 'command')
  if (commands.length === 0) return undefined
  return (await Promise.all(commands.map(({ command, cwd }) => inspectCommand(command, cwd, workspace)))).flat()
}

function optionsFor(rememberLabel: string | undefined): ApprovalOption[] {
  return [
    { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
    ...(rememberLabel === undefined ? [] : [{ optionId: 'allow_session', kind: 'allow_always' as const, name: rememberLabel }]),
    { optionId: 'reject', kind: 'reject_once', name: 'Reject with a reason' },
  ]
}

function resolved(
  approval: Approval,
  outcome: ApprovalOutcome,
  more: { feedback?: string; reason?: string; remembered?: string },
): EventBody {
  return { type: 'approval.resolved', approvalId: approval.approvalId, callId: approval.callId, outcome, ...more }
}

function rejection(feedback: string | undefined): string {
  return feedback ? `The user rejected this call and says: ${feedback}` : `The user rejected this call. ${WAYS_ROUND}`
}
