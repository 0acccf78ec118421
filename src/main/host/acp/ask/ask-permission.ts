import type {
  AgentContext,
  ClientCapabilities,
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk'
import {
  isMidCall,
  type Approval,
  type InboxEntry,
  requestName,
  type ApprovalOption,
  type RuleChoice,
} from '../../../../shared/model/approval'
import type { ClientPaths } from '../protocol/client-paths'
import { subagentCallId } from '../protocol/subagent-updates'
import { callTitle, previewContent, toolKind } from '../protocol/tool-call'
import type { ApprovalAnswer } from '../../../engine/approval/waiting-requests'

/** One request that waits, on its way to the person at a client. */
export interface PendingRequest {
  client: Pick<AgentContext, 'request'>
  capabilities: ClientCapabilities
  /** The session as the client knows it. */
  sessionId: string
  paths: ClientPaths
  entry: InboxEntry
  approval: Approval
  /** Aborts when it does not wait any more. */
  signal: AbortSignal
}

/** What the person answered; `cancelled`: the client has given up the turn. */
export type RequestAnswer = Omit<ApprovalAnswer, 'approvalId'> | 'cancelled'

/** Puts options to the person; the id of the one they chose. Rejects when the client cannot ask. */
export async function requestChoice(
  ask: PendingRequest,
  options: readonly PermissionOption[],
  more: { title?: string; content?: ToolCallContent[] } = {},
): Promise<string> {
  const { client, sessionId, signal } = ask
  const request: RequestPermissionRequest = { sessionId, toolCall: { ...callOf(ask), ...more }, options: [...options] }
  const limits = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const answer: Partial<RequestPermissionResponse> | null = await client.request(
    'session/request_permission',
    request,
    limits,
  )
  const outcome: Partial<RequestPermissionOutcome> | null | undefined = answer?.outcome
  if (outcome?.outcome === 'cancelled') return 'cancelled'
  if (outcome?.outcome !== 'selected' || outcome.optionId === undefined)
    throw new Error('The client answered with nothing that was offered.')
  if (options.some(({ optionId }) => optionId === outcome.optionId)) return outcome.optionId
  throw new Error(`The client chose "${outcome.optionId}", which was not offered.`)
}

/** The call that is asked about. One of a subagent is none that the client knows: it gets an id of its own. */
function callOf({ entry, approval, paths }: PendingRequest): ToolCallUpdate {
  const { agent } = entry
  const title = callTitle(approval.tool, approval.summary)
  return {
    toolCallId: agent ? subagentCallId(entry.sessionId, approval.callId) : approval.callId,
    title: agent ? `${agent.type} (${agent.description}): ${title}` : title,
    name: approval.tool,
    kind: toolKind(approval.tool),
    status: isMidCall(approval) ? 'in_progress' : 'pending',
    content: [
      { type: 'content', content: { type: 'text', text: reasonText(approval) } },
      ...previewContent(approval.preview, paths.shown),
    ],
  }
}

/** Why it is asked, as Markdown: every reason, where there are several or one is a danger. */
function reasonText({ reason, reasons }: Approval): string {
  if (!reasons) return reason
  return reasons
    .map(
      ({ text, part, danger }) =>
        `- ${danger ? '**Danger:** ' : ''}${part === undefined ? '' : `${inlineCode(part)}: `}${text}`,
    )
    .join('\n')
}

/** Code on one line, in a fence that is not in it. */
function inlineCode(code: string): string {
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${code.replaceAll('\n', ' ')} ${fence}`
}

/** Asks whether a call may run, with what "always" can cover: for this session, and one of them for good. */
export async function askPermission(
  ask: PendingRequest,
  choicesOf: () => Promise<RuleChoice[]>,
): Promise<RequestAnswer> {
  const { options } = ask.approval
  const canAlways = options.some(({ kind }) => kind === 'allow_always')
  const choices = canAlways ? await choicesOf() : []
  const rules = new Map<string, { pattern: string; scope: 'session' | 'user' }>()
  const always = choices.map(({ pattern, label }, index): PermissionOption => {
    const optionId = `session-${index + 1}`
    rules.set(optionId, { pattern, scope: 'session' })
    return { optionId, kind: 'allow_always', name: `Always allow ${label} in this session` }
  })
  // What is allowed for good should be worth it: not this very call, where there is something between it and the widest.
  const lasting = choices[1] ?? choices[0]
  if (lasting) {
    rules.set('user', { pattern: lasting.pattern, scope: 'user' })
    always.push({ optionId: 'user', kind: 'allow_always', name: `Always allow ${lasting.label} in every session` })
  }
  const offered = options.flatMap((option): PermissionOption[] => {
    if (option.kind === 'allow_always') return always
    return [{ ...shownOption(option), ...(option.optionId === 'reject' && { name: 'Reject' }) }]
  })
  const chosen = await requestChoice(ask, offered)
  if (chosen === 'cancelled') return chosen
  const rule = rules.get(chosen)
  return rule ? { optionId: options.find(({ kind }) => kind === 'allow_always')!.optionId, rule } : { optionId: chosen }
}

/** Asks whether a command gets what its sandbox refused, with the options as they are: none of them is a rule to choose. */
export async function askSandbox(ask: PendingRequest): Promise<RequestAnswer> {
  const { asks, options } = ask.approval
  const chosen = await requestChoice(ask, options.map(shownOption), {
    title: `${requestName({ asks, tool: '' })}: ${ask.approval.summary}`,
  })
  return chosen === 'cancelled' ? chosen : { optionId: chosen }
}

/** What the protocol has of an option. */
function shownOption({ optionId, kind, name }: ApprovalOption): PermissionOption {
  return { optionId, kind, name }
}
