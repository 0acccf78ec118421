import type { ContentBlock, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk'

export type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk'
type CallFields = Omit<ToolCallUpdate, 'toolCallId'>

type Pending =
  | { kind: ChunkKind; messageId: string; text: string[] }
  /** `fields` is made when it is sent: until then it may change many times. */
  | { kind: 'call'; callId: string; fields: () => CallFields }

/** The longest that merged updates wait, by how many were sent since the turn began: long turns are told in larger pieces. */
const PACE: readonly (readonly [sent: number, ms: number])[] = [
  [150, 50],
  [300, 100],
  [600, 250],
  [Infinity, 500],
]

export interface UpdateQueueDeps {
  /** Resolves when it is written; never rejects. */
  send(update: SessionUpdate): Promise<void>
}

/**
 * Sends the updates of one session in order. What comes in a stream (text, titles that are being written, output of a command) is merged: the first piece goes
 * out at once, further ones in intervals, and not before the client has taken the last. Everything else goes out at once, with what was merged before it.
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

  /** A further piece of what the model says or thinks. */
  chunk(kind: ChunkKind, messageId: string, text: string): void {
    const last = this.#pending.at(-1)
    if (last && last.kind === kind && last.messageId === messageId) last.text.push(text)
    else this.#pending.push({ kind, messageId, text: [text] })
    this.#soon()
  }

  /** Something about a call that may change again in a moment. */
  call(callId: string, fields: () => CallFields): void {
    const known = this.#pending.find((entry) => entry.kind === 'call' && entry.callId === callId)
    if (known?.kind === 'call') known.fields = fields
    else this.#pending.push({ kind: 'call', callId, fields })
    this.#soon()
  }

  /** What takes the place of anything that still waits about its call. */
  now(update: SessionUpdate): void {
    if (update.sessionUpdate === 'tool_call_update' && update.status) this.#forget(update.toolCallId)
    void this.flush()
    this.#latest = this.#send(update)
  }

  /** Sends what waits. Resolves when all of it is written. */
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

  /** A turn begins: it is told at the quickest pace. */
  begin(): void {
    this.#sent = 0
  }

  /** Drops what waits: nobody listens any more. */
  close(): void {
    clearTimeout(this.#timer)
    this.#pending = []
  }

  #forget(callId: string): void {
    this.#pending = this.#pending.filter((entry) => entry.kind !== 'call' || entry.callId !== callId)
  }

  #soon(): void {
    if (this.#timer) return
    const ms = PACE.find(([most]) => this.#sent < most)?.[1] ?? 0
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
