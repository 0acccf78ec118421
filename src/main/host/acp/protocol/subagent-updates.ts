import { isRecorded, type RecordedEvent, type SessionEvent } from '../../../../shared/events/event'
import { callTitle } from './tool-call'
import { textBlock, type UpdateQueue } from './update-queue'

/** So many of its latest calls are shown of a subagent. */
const MAX_SHOWN = 8

export interface SubagentUpdatesDeps {
  queue: UpdateQueue
  listen(sessionId: string, listener: (event: SessionEvent) => void): () => void
}

/** The id under which a client knows a call of a subagent that it was asked about. */
export function subagentCallId(agentId: string, callId: string): string {
  return `${agentId}/${callId}`
}

/** Shows in the call that has given work to a subagent what that is at, and closes the calls that the client was asked about for it. */
export class SubagentUpdates {
  readonly #deps: SubagentUpdatesDeps
  /** By the call that has given the work. */
  readonly #listening = new Map<string, () => void>()

  constructor(deps: SubagentUpdatesDeps) {
    this.#deps = deps
  }

  started({ callId, agentId, agentType }: RecordedEvent & { type: 'subagent.started' }): void {
    const { queue, listen } = this.#deps
    const lines: string[] = []
    const asked = new Set<string>()
    const titles = new Map<string, string>()
    const show = (line: string | undefined): void => {
      if (line === undefined || lines.at(-1) === line) return
      lines.push(line)
      const text = [`${agentType} at work:`, ...lines.slice(-MAX_SHOWN).map((one) => `- ${one}`)].join('\n')
      queue.call(callId, () => ({ status: 'in_progress', content: [{ type: 'content', content: textBlock(text) }] }))
    }
    this.ended(callId)
    const unlisten = listen(agentId, (event) => {
      if (!isRecorded(event)) return
      if (event.type === 'tool.started') titles.set(event.callId, callTitle(event.name, event.summary))
      // Until it may run, a call waits behind others or for an answer.
      if (event.type === 'tool.judged' && event.decision === 'allow') show(titles.get(event.callId))
      if (event.type === 'approval.resolved' && event.outcome.startsWith('allow')) show(titles.get(event.callId))
      if (event.type === 'tool.finished') titles.delete(event.callId)
      if (event.type === 'approval.requested') asked.add(event.approval.callId)
      if (event.type === 'tool.finished' && asked.delete(event.callId)) {
        const toolCallId = subagentCallId(agentId, event.callId)
        queue.sendNow({ sessionUpdate: 'tool_call_update', toolCallId, status: event.isError ? 'failed' : 'completed' })
      }
      // One in the background works on when its call has returned.
      if (event.type === 'agent.ended') this.ended(callId)
    })
    this.#listening.set(callId, unlisten)
  }

  ended(callId: string): void {
    this.#listening.get(callId)?.()
    this.#listening.delete(callId)
  }

  close(): void {
    for (const unlisten of this.#listening.values()) unlisten()
    this.#listening.clear()
  }
}
