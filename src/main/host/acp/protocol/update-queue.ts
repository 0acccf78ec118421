import type {
  ContentBlock,
  SessionUpdate,
  ToolCallUpdate,
  ClientCapabilities,
  PlanEntry,
} from '@agentclientprotocol/sdk'
import type { RecordedEvent } from '../../../../shared/events/event'
import { modelFallbackText } from '../../../../shared/events/transcript-rows'
import type { Usage } from '../../../../shared/model/turn/message'
import type { TaskNotification } from '../../../../shared/model/task/task'
import type { Todo } from '../../../../shared/model/turn/plan'

export type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk'
type CallFields = Omit<ToolCallUpdate, 'toolCallId'>

type Pending =
  | { kind: ChunkKind; messageId: string; text: string[] }
  /** `fields` is computed when it is sent: until then it may change many times. */
  | { kind: 'call'; callId: string; fields: () => CallFields }

/** Maximum delay of merged updates, by the number sent in this turn: long turns are sent in larger pieces. */
const FLUSH_INTERVALS: readonly (readonly [sent: number, ms: number])[] = [
  [150, 50],
  [300, 100],
  [600, 250],
  [Infinity, 500],
]

export interface UpdateQueueDeps {
  /** Writes one update; resolves when it is written, never rejects. */
  send(update: SessionUpdate): Promise<void>
}

/**
 * Sends the updates of one session in order. Streams (text, growing titles, command output) are merged: the first piece
 * is sent immediately, later ones at intervals, and not before the client has read the last. Everything else is sent
 * immediately, after any pending merged updates.
 */
export class UpdateQueue {
  readonly #send: UpdateQueueDeps['send']
  #pending: Pending[] = []
  #timer: NodeJS.Timeout | undefined
  #sent = 0
  #flushedAt = Number.NEGATIVE_INFINITY
  #latest: Promise<void> = Promise.resolve()

  constructor({ send }: UpdateQueueDeps) {
    this.#send = send
  }

  /** Another piece of the model's text or thinking. */
  chunk(kind: ChunkKind, messageId: string, text: string): void {
    const last = this.#pending.at(-1)
    if (last && last.kind === kind && last.messageId === messageId) last.text.push(text)
    else this.#pending.push({ kind, messageId, text: [text] })
    this.#scheduleFlush()
  }

  /** A change of a call that may soon change again. */
  call(callId: string, fields: () => CallFields): void {
    const known = this.#pending.find((entry) => entry.kind === 'call' && entry.callId === callId)
    if (known?.kind === 'call') known.fields = fields
    else this.#pending.push({ kind: 'call', callId, fields })
    this.#scheduleFlush()
  }

  /** An update that replaces any pending update of its call. */
  sendNow(update: SessionUpdate): void {
    if (update.sessionUpdate === 'tool_call_update' && update.status) this.#forget(update.toolCallId)
    void this.flush()
    this.#latest = this.#send(update)
  }

  /** Sends pending updates. Resolves when all are written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#flushedAt = performance.now()
    const pending = this.#pending
    this.#pending = []
    for (const entry of pending) {
      this.#sent += 1
      this.#latest = this.#send(asUpdate(entry))
    }
    return this.#latest
  }

  /** Call it when a turn starts: resets the interval to the shortest. */
  startTurn(): void {
    this.#sent = 0
  }

  /** Drops pending updates: the client has disconnected. */
  close(): void {
    clearTimeout(this.#timer)
    this.#pending = []
  }

  #forget(callId: string): void {
    this.#pending = this.#pending.filter((entry) => entry.kind !== 'call' || entry.callId !== callId)
  }

  #scheduleFlush(): void {
    if (this.#timer) return
    const ms = FLUSH_INTERVALS.find(([max]) => this.#sent < max)?.[1] ?? 0
    const wait = Math.max(0, this.#flushedAt + ms - performance.now())
    this.#timer = setTimeout(() => void this.#latest.then(() => this.flush()), wait)
  }
}

function asUpdate(entry: Pending): SessionUpdate {
  if (entry.kind === 'call') return { sessionUpdate: 'tool_call_update', toolCallId: entry.callId, ...entry.fields() }
  return { sessionUpdate: entry.kind, content: textBlock(entry.text.join('')), messageId: entry.messageId }
}

export function textBlock(text: string): ContentBlock & { type: 'text' } {
  return { type: 'text', text }
}

const STATUSES = { pending: 'pending', in_progress: 'in_progress', done: 'completed' } as const

export function planEntries(todos: readonly Todo[]): PlanEntry[] {
  return todos.map(({ title, status }) => ({ content: title, priority: 'medium', status: STATUSES[status] }))
}

/** Usage of the context window; undefined when its size is unknown. */
export function usageUpdate({ input, output }: Usage, window: number | undefined): SessionUpdate | undefined {
  return window === undefined ? undefined : { sessionUpdate: 'usage_update', used: input + output, size: window }
}

/** The outcome of background tasks, one line each. */
export function taskNotificationText(news: readonly TaskNotification[]): string {
  return news
    .map(
      ({ taskId, description, command, status }) =>
        `Background task ${taskId} (${description ?? command}): ${status}.\n`,
    )
    .join('')
}

type CompactionEvent = RecordedEvent & { type: 'compaction.started' | 'compaction.finished' | 'compaction.failed' }

/** A compaction in a form the client supports; a thought if it supports neither compactions nor notices. */
export function compactionUpdate(event: CompactionEvent, capabilities: ClientCapabilities): SessionUpdate {
  const { compactionId } = event
  if (capabilities.session?.compaction) {
    if (event.type === 'compaction.started')
      return { sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' }
    if (event.type === 'compaction.finished')
      return {
        sessionUpdate: 'compaction_update',
        compactionId,
        status: 'completed',
        summary: [textBlock(event.summary)],
      }
    const status = event.why === 'failed' ? 'failed' : 'cancelled'
    return {
      sessionUpdate: 'compaction_update',
      compactionId,
      status,
      ...(event.failure && { error: event.failure.message }),
    }
  }
  const title = titleOf(event)
  if (capabilities.session?.notices)
    return { sessionUpdate: 'notice', severity: event.type === 'compaction.failed' ? 'warning' : 'info', title }
  return {
    sessionUpdate: 'agent_thought_chunk',
    content: textBlock(`${title}\n`),
    messageId: `${compactionId}-${event.type}`,
  }
}

/** A switch to another model, as a notice if the client supports them; otherwise as a thought. */
export function fellBackUpdate(
  event: RecordedEvent & { type: 'model.fell_back' },
  { session }: ClientCapabilities,
): SessionUpdate {
  const title = modelFallbackText(event)
  if (session?.notices) return { sessionUpdate: 'notice', severity: 'warning', title }
  return { sessionUpdate: 'agent_thought_chunk', content: textBlock(`${title}\n`), messageId: `fell-back-${event.seq}` }
}

function titleOf(event: CompactionEvent): string {
  if (event.type === 'compaction.started') return 'Summarizing the conversation to free up context.'
  if (event.type === 'compaction.failed')
    return `The conversation is unchanged: ${event.failure?.message ?? 'summarizing it was stopped.'}`
  return (
    `The conversation was summarized, from about ${event.before.toLocaleString('en-US')} to ` +
    `${event.after.toLocaleString('en-US')} tokens; the full history stays in the session.`
  )
}
