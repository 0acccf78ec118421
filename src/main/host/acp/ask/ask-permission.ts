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
} from '../../../../shared/model/approval/approval'
import type { ClientPaths } from '../protocol/client-paths'
import { subagentCallId } from '../protocol/subagent-updates'
import { callTitle, previewContent, toolKind } from '../protocol/tool-call'
import type { ApprovalAnswer } from '../../../engine/approval/waiting-requests'

/** A pending request for the client's user. */
export interface PendingRequest {
  client: Pick<AgentContext, 'request'>
  capabilities: ClientCapabilities
  /** The session as the client knows it. */
  sessionId: string
  paths: ClientPaths
  entry: InboxEntry
  approval: Approval
  /** Aborts when the request is no longer pending. */
  signal: AbortSignal
}

/** The user's answer; `cancelled`: the client has cancelled the turn. */
export type RequestAnswer = Omit<ApprovalAnswer, 'approvalId'> | 'cancelled'

/** Shows options and returns the id of the chosen one. Rejects if the client cannot show them. */
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
    throw new Error('The client did not answer with an option.')
  if (options.some(({ optionId }) => optionId === outcome.optionId)) return outcome.optionId
  throw new Error(`The client chose "${outcome.optionId}", which was not offered.`)
}

/** The call that needs approval. The client does not know the calls of subagents, so those get their own id. */
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

/** The reasons for asking, as Markdown: all of them when there are several or one is dangerous. */
function reasonText({ reason, reasons }: Approval): string {
  if (!reasons) return reason
  return reasons
    .map(
      ({ text, part, danger }) =>
        `- ${danger ? '**Danger:** ' : ''}${part === undefined ? '' : `${inlineCode(part)}: `}${text}`,
    )
    .join('\n')
}

/** Inline code, in a fence that it does not contain. */
function inlineCode(code: string): string {
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${code.replaceAll('\n', ' ')} ${fence}`
}

/** Asks whether a call may run, with "always" options: several for this session, one permanent. */
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
  // A permanent rule should be useful: prefer one between this exact call and the widest.
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

/**
 * Asks whether to allow access that a command's sandbox blocked, or to spend more. The options are unchanged, because
 * none of them is a rule.
 */
export async function askOptions(ask: PendingRequest): Promise<RequestAnswer> {
  const { asks, options } = ask.approval
  const chosen = await requestChoice(ask, options.map(shownOption), {
    title: `${requestName({ asks, tool: '' })}: ${ask.approval.summary}`,
  })
  return chosen === 'cancelled' ? chosen : { optionId: chosen }
}

/** The fields of an option that the protocol supports. */
function shownOption({ optionId, kind, name }: ApprovalOption): PermissionOption {
  return { optionId, kind, name }
}
