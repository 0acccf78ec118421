import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isRecord } from '../../../../shared/json-fields'

/** The largest message that is read, in bytes: a 10 MiB image as base64, and some spare capacity. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024

/** What is known about a line that was too long to keep. */
export interface LongLine {
  bytes: number
  /** Its first bytes (`head`) and last bytes (`tail`). */
  head: string
  tail: string
}

const EXCERPT = 256

/**
 * Splits a stream of bytes into lines, keeping at most `maxBytes` of each: the rest of a longer line is counted and
 * dropped until it ends. Invalid UTF-8 becomes replacement characters.
 */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #onLine: (line: string) => void
  readonly #onLong: (line: LongLine) => void
  #parts: Buffer[] = []
  #bytes = 0
  /** Set while a line is being dropped. */
  #head: string | undefined
  #tail: Buffer = Buffer.alloc(0)

  constructor(maxBytes: number, onLine: (line: string) => void, onLong: (line: LongLine) => void) {
    this.#maxBytes = maxBytes
    this.#onLine = onLine
    this.#onLong = onLong
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(0x0a, at)
      this.#take(chunk.subarray(at, end < 0 ? chunk.length : end))
      if (end < 0) return
      this.#finish()
      at = end + 1
    }
  }

  /** Emits the text after the last line break. */
  end(): void {
    if (this.#bytes > 0) this.#finish()
  }

  #take(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#head === undefined && this.#bytes <= this.#maxBytes) {
      this.#parts.push(bytes)
      return
    }
    if (this.#head === undefined) {
      const kept = Buffer.concat([...this.#parts, bytes])
      this.#head = kept.toString('utf8', 0, EXCERPT)
      this.#parts = []
      this.#tail = Buffer.from(kept.subarray(-EXCERPT))
      return
    }
    this.#tail =
      bytes.length >= EXCERPT
        ? Buffer.from(bytes.subarray(-EXCERPT))
        : Buffer.concat([this.#tail, bytes]).subarray(-EXCERPT)
  }

  #finish(): void {
    const [parts, bytes, head, tail] = [this.#parts, this.#bytes, this.#head, this.#tail]
    this.#parts = []
    this.#bytes = 0
    this.#head = undefined
    this.#tail = Buffer.alloc(0)
    if (head === undefined) this.#onLine(Buffer.concat(parts).toString('utf8').replace(/\r$/, ''))
    else this.#onLong({ bytes, head, tail: tail.toString('utf8') })
  }
}

/** Maximum number of messages in one line: servers of revision 2025-03-26 may send batches. */
const MAX_IN_BATCH = 1000

/** The messages of a line; undefined when it is not a message but other output. */
export function readMessages(line: string): JSONRPCMessage[] | undefined {
  const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line
  if (!/^\s*[{[]/.test(text)) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const all: unknown[] = Array.isArray(parsed) ? parsed.slice(0, MAX_IN_BATCH) : [parsed]
  const messages = all.filter(isMessage).map(usable)
  return messages.length > 0 ? messages : undefined
}

/** Whether it has the form of a message; the protocol library checks more closely. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { jsonrpc, method, id } = value as Record<string, unknown>
  return jsonrpc === '2.0' && (typeof method === 'string' || typeof id === 'string' || typeof id === 'number')
}

/**
 * A response in the form that the protocol library accepts: without fields and metadata that it does not allow. A
 * response that is neither a result nor an error fails its request immediately; the library would wait for another one.
 */
export function usable(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message || message.id === undefined) return message
  const { id, result, error } = message as { id: string | number; result?: unknown; error?: unknown }
  if (isRecord(result)) return { jsonrpc: '2.0', id, result: withoutOddMetadata(result) }
  if (isRecord(error)) {
    const { code, message: text, data } = error
    if (Number.isInteger(code) && typeof text === 'string')
      return { jsonrpc: '2.0', id, error: { code: Number(code), message: text, ...(data !== undefined && { data }) } }
  }
  const quoted = shortJson(error ?? result)
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: INVALID_RESPONSE_CODE,
      message: `The answer is neither a result nor an error: ${quoted ?? 'it is empty'}.`,
    },
  }
}

function withoutOddMetadata(result: Record<string, unknown>): Record<string, unknown> {
  if (result['_meta'] === undefined || isRecord(result['_meta'])) return result
  const { _meta: _odd, ...rest } = result
  return rest
}

/** The value as JSON, cut short. Values can be nested too deeply to be serialized. */
function shortJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)?.slice(0, 200)
  } catch {
    return 'it is nested too deeply to be shown'
  }
}

/** The code of an invalid response. */
export const INVALID_RESPONSE_CODE = -32_052

/**
 * The error response for an overlong line, if its head or tail contains the id: the call then fails immediately, with
 * the reason.
 */
export function responseForLongLine({ bytes, head, tail }: LongLine, maxBytes: number): JSONRPCMessage | undefined {
  if (/"method"\s*:/.test(head)) return undefined
  const id = (
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)/.exec(head) ?? /"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail)
  )?.[1]
  if (id === undefined) return undefined
  return { jsonrpc: '2.0', id: Number(id), error: { code: TOO_LONG_CODE, message: tooLongMessage(bytes, maxBytes) } }
}

/** The code of an overlong response. */
export const TOO_LONG_CODE = -32_050

export function tooLongMessage(bytes: number | undefined, maxBytes: number): string {
  const most = `${maxBytes / 1_048_576} MiB`
  const size = bytes === undefined ? `more than ${most}` : `${(bytes / 1_048_576).toFixed(0)} MiB`
  return `The answer has ${size}; at most ${most} can be read.`
}

/** Work up to this long needs no pause. */
const UNTHROTTLED_MS = 4
/** Pause in ms for each ms of work. */
const REST_RATIO = 1
const LONGEST_REST_MS = 200

/**
 * Keeps a server that never stops sending from using the whole processor: after some work on its data, it has to wait
 * as long as the work took. Until then, its pipe or socket fills up and holds it back.
 */
export class ReadThrottle {
  #worked = 0
  #since = performance.now()

  /** Does a piece of work; returns the pause that is due, or undefined. */
  run(piece: () => void): Promise<void> | undefined {
    const startedAt = performance.now()
    // A quiet period resets the count.
    if (startedAt - this.#since > 1000) [this.#worked, this.#since] = [0, startedAt]
    piece()
    this.#worked += performance.now() - startedAt
    if (this.#worked < UNTHROTTLED_MS) return undefined
    const rest = Math.min(this.#worked * REST_RATIO, LONGEST_REST_MS)
    this.#worked = 0
    this.#since = performance.now()
    return pause(rest)
  }
}
