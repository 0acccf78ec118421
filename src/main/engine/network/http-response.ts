import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { HeaderList } from './header-list'
import { LightReadableStream } from './light-streams'

const nothing = (): void => {}

/** Status codes that never have a body. */
const BODILESS = new Set([204, 205, 304])

/**
 * A node:http response with as much of `Response` as the provider packages and `model-fetch.ts` need. Each read returns
 * everything that has arrived since the last one in one piece, however small the chunks were on the wire.
 */
export class HttpResponse {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly headers: HeaderList
  body: LightReadableStream<Uint8Array<ArrayBuffer>> | null
  /** Called whenever bytes are read, and at the end. */
  alive: (() => void) | undefined

  /** `source`: the decoded body of `message`. When `signal` aborts, the body ends immediately, with its reason. */
  constructor(message: IncomingMessage, source: Readable, signal: AbortSignal | null | undefined) {
    this.status = message.statusCode ?? 0
    this.statusText = message.statusMessage ?? ''
    this.ok = this.status >= 200 && this.status < 300
    this.headers = new HeaderList()
    const raw = message.rawHeaders
    for (let at = 0; at + 1 < raw.length; at += 2) this.headers.append(raw[at]!, raw[at + 1]!)
    if (BODILESS.has(this.status)) {
      source.on('error', nothing).resume()
      this.body = null
    } else {
      this.body = this.#bodyOf(message, source, signal)
    }
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const pieces: Uint8Array[] = []
    if (this.body) for await (const piece of this.body) pieces.push(piece)
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole.buffer
  }

  #bodyOf(
    message: IncomingMessage,
    source: Readable,
    signal: AbortSignal | null | undefined,
  ): LightReadableStream<Uint8Array<ArrayBuffer>> {
    let isPulled = false
    let isOver = false
    const over = (): boolean => {
      if (isOver) return false
      signal?.removeEventListener('abort', abort)
      return (isOver = true)
    }
    let abort = nothing
    let deliver = nothing
    // Nothing is buffered here: data stays in the message, whose buffer limit slows down the server.
    return new LightReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        const fail = (error: unknown): void => {
          if (over()) controller.error(error)
        }
        abort = () => {
          fail(signal?.reason)
          message.destroy()
        }
        deliver = () => {
          if (!isPulled || isOver) return
          const piece = source.read() as Buffer<ArrayBuffer> | null
          if (piece === null) return
          isPulled = false
          this.alive?.()
          controller.enqueue(piece)
        }
        source.on('readable', deliver)
        source.on('end', () => {
          if (!over()) return
          this.alive?.()
          controller.close()
        })
        source.on('error', fail)
        // Anything else that closes it early, including before this call.
        const closed = (): void => fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))
        source.on('close', closed)
        if (signal?.aborted) abort()
        else if (source.destroyed) closed()
        else signal?.addEventListener('abort', abort, { once: true })
      },
      pull: () => {
        isPulled = true
        deliver()
      },
      cancel: () => {
        over()
        message.destroy()
      },
    })
  }
}
