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
import { isMidCall, type Approval, type InboxEntry } from '../../../../shared/model/approval'
import type { ApprovalAnswer } from '../../../engine/engine-api'
import type { ClientPaths } from '../paths'
import { subagentCallId } from '../update/subagent-updates'
import { callTitle, previewContent, toolKind } from '../update/tool-call'

/** One request that waits, on its way to the person at a client. */
export interface Ask {
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
export type Answered = Omit<ApprovalAnswer, 'approvalId'> | 'cancelled'

/** Puts options to the person; the id of the one they chose. Rejects when the client cannot ask. */
export async function choose(
  ask: Ask,
  options: readonly PermissionOption[],
  more: { title?: string; content?: ToolCallContent[] } = {},
): Promise<string> {
  const { client, sessionId, signal } = ask
  const request: RequestPermissionRequest = { sessionId, toolCall: { ...callOf(ask), ...more }, options: [...options] }
  const limits = { cancellationSignal: signal, stopWaitingOnCancel: true }
  const answer: Partial<RequestPermissionResponse> | null = await client.request('session/request_permission', request, limits)
  const outcome: Partial<RequestPermissionOutcome> | null | undefined = answer?.outcome
  if (outcome?.outcome === 'cancelled') return 'cancelled'
  if (outcome?.outcome !== 'selected' || outcome.optionId === undefined)
    throw new Error('The client answered with nothing that was offered.')
  if (options.some(({ optionId }) => optionId === outcome.optionId)) return outcome.optionId
  throw new Error(`The client chose "${outcome.optionId}", which was not offered.`)
}

/** The call that is asked about. One of a subagent is none that the client knows: it gets an id of its own. */
function callOf({ entry, approval, paths }: Ask): ToolCallUpdate {
  const { agent } = entry
  const title = callTitle(approval.tool, approval.summary)
  return {
    toolCallId: agent ? subagentCallId(entry.sessionId, approval.callId) : approval.callId,
    title: agent ? `${agent.type} (${agent.description}): ${title}` : title,
    name: approval.tool,
    kind: toolKind(approval.tool),
    status: isMidCall(approval) ? 'in_progress' : 'pending',
    content: [{ type: 'content', content: { type: 'text', text: reasonText(approval) } }, ...previewContent(approval.preview, paths.shown)],
  }
}

/** Why it is asked, as Markdown: every reason, where there are several or one is a danger. */
function reasonText({ reason, reasons }: Approval): string {
  if (!reasons) return reason
  return reasons
    .map(({ text, part, danger }) => `- ${danger ? '**Danger:** ' : ''}${part === undefined ? '' : `${inlineCode(part)}: `}${text}`)
    .join('\n')
}

/** Code on one line, in a fence that is not in it. */
function inlineCode(code: string): string {
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${code.replaceAll('\n', ' ')} ${fence}`
}
