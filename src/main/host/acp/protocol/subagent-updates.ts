import { isRecorded, type RecordedEvent, type SessionEvent } from '../../../../shared/events/event'
import { callTitle } from './tool-call'
import { textBlock, type UpdateQueue } from './update-queue'

/** Number of latest calls shown for a subagent. */
const MAX_SHOWN = 8

export interface SubagentUpdatesDeps {
  queue: UpdateQueue
  listen(sessionId: string, listener: (event: SessionEvent) => void): () => void
}

/** The client-side id of a subagent's call that needed approval. */
export function subagentCallId(agentId: string, callId: string): string {
  return `${agentId}/${callId}`
}

/**
 * Shows a subagent's progress in the call that started it, and closes its calls that the client was asked to approve.
 */
export class SubagentUpdates {
  readonly #deps: SubagentUpdatesDeps
  /** Keyed by the call that started the subagent. */
  readonly #listening = new Map<string, () => void>()
  /** Calls whose subagent keeps running in the background: the client was informed that they have ended. */
  readonly #returned = new Set<string>()

  constructor(deps: SubagentUpdatesDeps) {
    this.#deps = deps
  }

  started({ callId, agentId, agentType }: RecordedEvent & { type: 'subagent.started' }): void {
    const { queue, listen } = this.#deps
    const lines: string[] = []
    const approvals = new Set<string>()
    const titles = new Map<string, string>()
    const show = (line: string | undefined): void => {
      if (this.#returned.has(callId) || line === undefined || lines.at(-1) === line) return
      lines.push(line)
      const text = [`${agentType} at work:`, ...lines.slice(-MAX_SHOWN).map((one) => `- ${one}`)].join('\n')
      queue.call(callId, () => ({ status: 'in_progress', content: [{ type: 'content', content: textBlock(text) }] }))
    }
    this.ended(callId)
    const unlisten = listen(agentId, (event) => {
      if (!isRecorded(event)) return
      if (event.type === 'tool.started') titles.set(event.callId, callTitle(event.name, event.summary))
      // Before it runs, a call may wait behind others or for approval.
      if (event.type === 'tool.judged' && event.decision === 'allow') show(titles.get(event.callId))
      if (event.type === 'approval.resolved' && event.outcome.startsWith('allow')) show(titles.get(event.callId))
      if (event.type === 'tool.finished') titles.delete(event.callId)
      if (event.type === 'approval.requested') approvals.add(event.approval.callId)
      if (event.type === 'tool.finished' && approvals.delete(event.callId)) {
        const toolCallId = subagentCallId(agentId, event.callId)
        queue.sendNow({ sessionUpdate: 'tool_call_update', toolCallId, status: event.isError ? 'failed' : 'completed' })
      }
      // A background subagent keeps working after its call has returned.
      if (event.type === 'agent.ended') this.ended(callId)
    })
    this.#listening.set(callId, unlisten)
  }

  /** The call has a result: nothing more is shown in it. */
  returned(callId: string): void {
    if (this.#listening.has(callId)) this.#returned.add(callId)
  }

  ended(callId: string): void {
    this.#returned.delete(callId)
    this.#listening.get(callId)?.()
    this.#listening.delete(callId)
  }

  close(): void {
    for (const unlisten of this.#listening.values()) unlisten()
    this.#listening.clear()
    this.#returned.clear()
  }
}
