import type { Readable, Writable } from 'node:stream'
import { ndJsonStream, type AnyMessage, type Stream, RequestError } from '@agentclientprotocol/sdk'
import { CodedError, type Failure } from '../../../../shared/errors'

/** Most bytes of one message; what a longer line has beyond them is dropped, and the line answered as one that does not parse. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Requests that are still being answered when the input ends get so long. */
const ANSWER_DRAIN_MS = 3_000

export interface StdioStreamOptions {
  input: Readable
  output: Writable
  /** The input has ended, or nobody reads the output any more. What it does may still be answered. */
  onInputEnd(): Promise<void>
  maxLineBytes?: number
}

/** Messages over a pair of pipes, one a line. When the input ends, requests that are being answered are answered first. */
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
  // What the library would write through three streams goes straight to the pipe: a step has several messages.
  const writable = new WritableStream<AnyMessage>({
    write(message) {
      const written = write(output, `${JSON.stringify(message)}\n`)
      open.onSent(message)
      return written
    },
  })
  return { readable: lines.readable.pipeThrough(noting), writable }
}

/** Resolves when all that was written is out, or nobody takes it any more. */
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

/** Undefined when there is room for more; else resolves when there is, or never will be. */
function write(output: Writable, text: string | Uint8Array): Promise<void> | undefined {
  if (output.destroyed) throw new Error('Nobody reads what is written.')
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

function reading(input: Readable, mostLineBytes: number): ReadableStream<Uint8Array> {
  const bounded = boundedLines(mostLineBytes)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      input.on('data', (chunk: Buffer) => {
        const kept = bounded(chunk)
        if (kept.length > 0) controller.enqueue(kept)
        if ((controller.desiredSize ?? 1) <= 0) input.pause()
      })
      let isOver = false
      const end = (): void => {
        if (!isOver) controller.close()
        isOver = true
      }
      input.once('end', end)
      input.once('close', end)
      input.once('error', end)
    },
    pull: () => void input.resume(),
  })
}

/** Passes bytes on, of each line so many: memory stays bounded whatever is sent. */
export function boundedLines(most: number): (chunk: Buffer) => Buffer {
  let length = 0
  return (chunk) => {
    if (length + chunk.length <= most) {
      const feed = chunk.lastIndexOf(0x0a)
      length = feed < 0 ? length + chunk.length : chunk.length - feed - 1
      return chunk
    }
    const kept: Buffer[] = []
    for (let at = 0; at < chunk.length;) {
      const feed = chunk.indexOf(0x0a, at)
      const end = feed < 0 ? chunk.length : feed
      kept.push(chunk.subarray(at, Math.min(end, at + Math.max(0, most - length))))
      length += end - at
      if (feed < 0) break
      kept.push(chunk.subarray(feed, feed + 1))
      length = 0
      at = feed + 1
    }
    return Buffer.concat(kept)
  }
}

/** Requests of the client that have no answer yet. */
class OpenRequests {
  readonly #ids = new Set<unknown>()
  #onAnswered: (() => void) | undefined

  onReceived(message: AnyMessage): void {
    // What is no request by its form is refused without its id.
    const { jsonrpc, method, id }: Record<string, unknown> = { ...message }
    const isRequest =
      jsonrpc === '2.0' && typeof method === 'string' && (typeof id === 'string' || typeof id === 'number')
    if (isRequest) this.#ids.add(id)
  }

  /** A message has been written. */
  onSent(message: AnyMessage): void {
    if ('method' in message || !('id' in message)) return
    this.#ids.delete(message.id)
    if (this.#ids.size === 0) this.#onAnswered?.()
  }

  /** Resolves when there is none, or after `ms`. */
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

/** An expected failure as the protocol answers it, with what to do; anything else stays what it is. */
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

/** Editors show this as it is. */
export function failureMessage({ title, message, advice }: Failure): string {
  return `${title}: ${message} ${advice}`
}
