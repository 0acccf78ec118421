import { type LiveEvent, type RecordedEvent, type SessionEvent, isRecorded } from '../../../shared/events/event'

interface Entry {
  event: SessionEvent
  bytes: number
}

/**
 * Pending events of a slow reader, in order. Live events are merged while they wait: adjacent text (or thinking) of one
 * step becomes one delta, progress of one call becomes one event, and only the newest draft of a call is kept. Nothing
 * is merged across a recorded event, so the order a reader sees is the order in which things happened.
 */
export class PendingEvents {
  #entries: Entry[] = []
  /** The pending event that the next live event of a kind is merged into. Cleared by every recorded event. */
  #mergeable = new Map<string, Entry>()
  #bytes = 0
  #recorded = 0

  get count(): number {
    return this.#entries.length
  }

  /** Approximate bytes of all pending events. */
  get bytes(): number {
    return this.#bytes
  }

  get recordedCount(): number {
    return this.#recorded
  }

  add(event: SessionEvent): void {
    if (isRecorded(event)) {
      this.#mergeable.clear()
      this.#recorded += 1
      this.#append(event)
    } else this.#addLive(event)
  }

  /**
   * Removes and returns events from the front: at least one if there is any, then as many as fit `maxBytes` and
   * `maxCount`.
   */
  take(maxCount: number, maxBytes: number): SessionEvent[] {
    let bytes = 0
    let end = 0
    while (end < this.#entries.length && end < maxCount) {
      const size = this.#entries[end]?.bytes ?? 0
      if (end > 0 && bytes + size > maxBytes) break
      bytes += size
      end += 1
    }
    const taken = this.#entries.splice(0, end)
    this.#bytes -= bytes
    if (this.#entries.length === 0) this.#mergeable.clear()
    else for (const [key, entry] of this.#mergeable) if (taken.includes(entry)) this.#mergeable.delete(key)
    for (const entry of taken) if (isRecorded(entry.event)) this.#recorded -= 1
    return taken.map((entry) => entry.event)
  }

  /** Drops all live events; the recorded ones stay. */
  dropLive(): void {
    this.#keep((entry) => isRecorded(entry.event))
  }

  clear(): void {
    this.#keep(() => false)
  }

  #keep(wanted: (entry: Entry) => boolean): void {
    this.#mergeable.clear()
    this.#entries = this.#entries.filter(wanted)
    this.#recorded = this.#entries.filter((entry) => isRecorded(entry.event)).length
    this.#bytes = this.#entries.reduce((sum, entry) => sum + entry.bytes, 0)
  }

  #append(event: RecordedEvent | LiveEvent): Entry {
    const entry = { event, bytes: estimateJsonBytes(event) }
    this.#entries.push(entry)
    this.#bytes += entry.bytes
    return entry
  }

  #addLive(event: LiveEvent): void {
    const key = mergeKey(event)
    const target = this.#mergeable.get(key)
    if (target) {
      this.#bytes -= target.bytes
      target.bytes += merge(target.event as LiveEvent, event)
      this.#bytes += target.bytes
      return
    }
    // Thinking after text must not join the thinking before it.
    if (event.type === 'text.delta') this.#mergeable.delete(`thinking ${event.stepId}`)
    if (event.type === 'thinking.delta') this.#mergeable.delete(`text ${event.stepId}`)
    // Never mutate the engine's object: other listeners share it.
    this.#mergeable.set(key, this.#append({ ...event }))
  }
}

function mergeKey(event: LiveEvent): string {
  if (event.type === 'text.delta') return `text ${event.stepId}`
  if (event.type === 'thinking.delta') return `thinking ${event.stepId}`
  return `${event.type} ${event.callId}`
}

/** Merges `from` into `into` (same kind, same step or call); returns the growth in bytes. */
function merge(into: LiveEvent, from: LiveEvent): number {
  if (into.type === 'tool.drafting' && from.type === 'tool.drafting') {
    into.chars = from.chars
    into.name = from.name
    if (from.subject !== undefined) into.subject = from.subject
    return 0
  }
  if ('text' in into && 'text' in from) {
    into.text += from.text
    return from.text.length
  }
  return 0
}

/**
 * About how many bytes a plain value takes as JSON, without building the JSON: strings count their length, everything
 * else a little. Good enough to bound a queue; never used where the exact number matters.
 */
export function estimateJsonBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let size = 2
  if (Array.isArray(value)) {
    for (const item of value) size += estimateJsonBytes(item) + 1
    return size
  }
  for (const [key, item] of Object.entries(value)) size += key.length + 4 + estimateJsonBytes(item)
  return size
}
