import { sentence } from '../../../../shared/error-text'
import type { Readable, Writable } from 'node:stream'
import { ndJsonStream, type AnyMessage, type Stream, RequestError } from '@agentclientprotocol/sdk'
import { CodedError, type Failure, failureText } from '../../../../shared/errors'

/** Maximum bytes of one message; a longer line is truncated and answered with a parse error. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Time in ms for running requests to finish after the input ends. */
const ANSWER_DRAIN_MS = 3_000

export interface StdioStreamOptions {
  input: Readable
  output: Writable
  /** Called when the input has ended or the reader has disconnected. Responses may still be sent. */
  onInputEnd(): Promise<void>
  maxLineBytes?: number
}

/** Messages over a pair of pipes, one per line. When the input ends, running requests are answered first. */
export function stdioStream({ input, output, onInputEnd, maxLineBytes = MAX_LINE_BYTES }: StdioStreamOptions): Stream {
  const open = new OpenRequests()
  output.on('error', () => input.destroy())
  const lines = ndJsonStream(writing(output), reading(input, maxLineBytes), { maxMessageBytes: maxLineBytes + 1 })
  const noting = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      open.onReceived(message)
      controller.enqueue(message)
    },
    async flush() {
      await onInputEnd()
      await open.allAnswered(ANSWER_DRAIN_MS)
    },
  })
  // Written directly to the pipe instead of through the library's three streams: a step has several messages.
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      const written = write(output, `${jsonOf(message)}\n`)
      open.onSent(message)
      return written
    },
  })
  return { readable: lines.readable.pipeThrough(noting), writable }
}

/** Values below this level are left out of a message that is nested too deeply to be written. */
const MAX_LEVELS = 100

/**
 * A message as JSON. It can contain what the client or a model sent, at any depth: one that cannot be written must not
 * end the connection.
 */
function jsonOf(message: AnyMessage): string {
  try {
    return JSON.stringify(message)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.stringify(withoutDeepValues(message, MAX_LEVELS))
  }
}

function withoutDeepValues(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((item) => withoutDeepValues(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutDeepValues(item, levels - 1)]))
}

/** Resolves when all output is written, or the reader has disconnected. */
export async function flushed(output: Writable, limitMs: number): Promise<void> {
  if (output.destroyed) return
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
    output.once('close', resolve)
    output.end(resolve)
  })
  clearTimeout(timer)
  output.destroy()
}

/** Undefined when the pipe can accept more; otherwise resolves when it can, or when it has closed. */
function write(output: Writable, text: string | Uint8Array): Promise<void> | undefined {
  if (output.destroyed) throw new Error('The client has closed its end.')
  if (output.write(text)) return undefined
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done).off('close', done)
      resolve()
    }
    output.on('drain', done).on('close', done)
  })
}

function writing(output: Writable): WritableStream<Uint8Array> {
  return new WritableStream({ write: (chunk) => write(output, chunk) })
}

function reading(input: Readable, maxLineBytes: number): ReadableStream<Uint8Array> {
  const bounded = boundedLines(maxLineBytes)
  let isOver = false
  return new ReadableStream<Uint8Array>({
    start(controller) {
      input.on('data', (chunk: Buffer) => {
        if (isOver) return
        const kept = bounded(chunk)
        if (kept.length > 0) controller.enqueue(kept)
        if ((controller.desiredSize ?? 1) <= 0) input.pause()
      })
      const end = (): void => {
        if (!isOver) controller.close()
        isOver = true
      }
      input.once('end', end)
      input.once('close', end)
      input.once('error', end)
    },
    pull: () => void input.resume(),
    cancel() {
      // The connection is closed: later input is not read.
      isOver = true
      input.destroy()
    },
  })
}

/** Passes at most `max` bytes of each line through, so that memory stays bounded. */
export function boundedLines(max: number): (chunk: Buffer) => Buffer {
  let length = 0
  return (chunk) => {
    if (length + chunk.length <= max) {
      const feed = chunk.lastIndexOf(0x0a)
      length = feed < 0 ? length + chunk.length : chunk.length - feed - 1
      return chunk
    }
    const kept: Buffer[] = []
    for (let at = 0; at < chunk.length;) {
      const feed = chunk.indexOf(0x0a, at)
      const end = feed < 0 ? chunk.length : feed
      kept.push(chunk.subarray(at, Math.min(end, at + Math.max(0, max - length))))
      length += end - at
      if (feed < 0) break
      kept.push(chunk.subarray(feed, feed + 1))
      length = 0
      at = feed + 1
    }
    return Buffer.concat(kept)
  }
}

/** Pending requests of the client. */
class OpenRequests {
  readonly #ids = new Set<unknown>()
  #onAnswered: (() => void) | undefined

  onReceived(message: AnyMessage): void {
    // A malformed request is rejected without its id.
    const { jsonrpc, method, id }: Record<string, unknown> = { ...message }
    const isRequest =
      jsonrpc === '2.0' && typeof method === 'string' && (typeof id === 'string' || typeof id === 'number')
    if (isRequest) this.#ids.add(id)
  }

  /** Call it for every written message. */
  onSent(message: AnyMessage): void {
    if ('method' in message || !('id' in message)) return
    this.#ids.delete(message.id)
    if (this.#ids.size === 0) this.#onAnswered?.()
  }

  /** Resolves when no request is pending, or after `ms`. */
  async allAnswered(ms: number): Promise<void> {
    if (this.#ids.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#onAnswered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** An expected failure as a protocol error, with advice; any other error is returned unchanged. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof CodedError)) return error
  const { failure } = error
  const message = failureMessage(failure)
  switch (failure.code) {
    case 'session.not_found':
      return new RequestError(-32002, message, failure)
    case 'request.invalid':
    case 'session.folder_missing':
      return new RequestError(-32602, message, failure)
    default:
      return new RequestError(-32603, message, failure)
  }
}

/** Editors show this text verbatim. */
export function failureMessage(failure: Failure): string {
  return `${sentence(failureText(failure))} ${failure.advice}`
}
