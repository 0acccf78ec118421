import type { FetchLike } from '../auth/mcp-auth'
import { Pace } from './pace'
import { TOO_LONG, tooLong } from './read-message'
import { MAX_MESSAGE_BYTES } from './stdio-transport'
import { endOfEvent, isBreak, StreamWatch } from './stream-watch'

/** The code of an answer that does not come, because the stream it was to come on is over. None that servers use. */
export const LOST = -32_051

/**
 * `fetch` for what a server sends: an answer, or one event of a stream, that is larger than a message may be ends with an error instead of filling the
 * memory; a server that never stops sending does not take the whole processor; a stream that ends without the answer it was opened for, and that cannot be
 * taken up again, says so at once instead of leaving the call to its time limit.
 */
export function boundedFetch(inner: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init)
    if (!response.body) return response
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const body = isStream ? boundedStream(response.body, requestOf(init)) : boundedAnswer(response.body)
    const bounded = new Response(body, response)
    // What the constructor does not take over, and redirects are judged by.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
      type: { value: response.type },
    })
    return bounded
  }
}

/** The number of the request that is sent, which the stream is to answer. */
function requestOf(init: RequestInit | undefined): number | undefined {
  if (typeof init?.body !== 'string') return undefined
  const { id, method } = JSON.parse(init.body) as { id?: unknown; method?: unknown }
  return typeof id === 'number' && method !== undefined ? id : undefined
}

function boundedAnswer(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0
  return passed(body, (chunk) => {
    bytes += chunk.length
    if (bytes > MAX_MESSAGE_BYTES) throw new Error(tooLong(undefined, MAX_MESSAGE_BYTES))
  })
}

function boundedStream(body: ReadableStream<Uint8Array>, request: number | undefined): ReadableStream<Uint8Array> {
  const watch = new StreamWatch(request)
  let bytes = 0
  let lastWasBreak = true
  const failure = (code: number, message: string): Uint8Array | undefined =>
    request === undefined
      ? undefined
      : new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: request, error: { code, message } })}\n\n`)
  return passed(
    body,
    (chunk) => {
      const end = endOfEvent(chunk, lastWasBreak)
      bytes = end > 0 ? chunk.length - end : bytes + chunk.length
      lastWasBreak = isBreak(chunk.at(-1))
      watch.see(chunk)
      if (bytes <= MAX_MESSAGE_BYTES) return undefined
      const last = failure(TOO_LONG, tooLong(undefined, MAX_MESSAGE_BYTES))
      if (!last) throw new Error(tooLong(undefined, MAX_MESSAGE_BYTES))
      return last
    },
    (error) =>
      watch.isOwed
        ? failure(LOST, `The server ended the stream before it had answered${error === undefined ? '' : ` (${error.message})`}.`)
        : undefined,
  )
}

/**
 * The same bytes, no faster than is fair. What `look` answers takes the place of a chunk and is the last; what it throws is the end. `ended`: what is to be said
 * yet when the other side ends or breaks off.
 */
function passed(
  body: ReadableStream<Uint8Array>,
  look: (chunk: Uint8Array) => Uint8Array | undefined | void,
  ended: (error?: Error) => Uint8Array | undefined = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pace = new Pace()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const last = (bytes: Uint8Array): void => {
          controller.enqueue(bytes)
          controller.close()
        }
        let read: Awaited<ReturnType<typeof reader.read>>
        try {
          read = await reader.read()
        } catch (error) {
          const said = ended(error instanceof Error ? error : new Error(String(error)))
          if (said) last(said)
          else controller.error(error)
          return
        }
        if (read.done) {
          const said = ended()
          if (said) last(said)
          else controller.close()
          return
        }
        const chunk = read.value
        try {
          const instead = look(chunk)
          if (instead) {
            last(instead)
            await reader.cancel().catch(() => undefined)
            return
          }
        } catch (error) {
          controller.error(error)
          await reader.cancel().catch(() => undefined)
          return
        }
        const rest = pace.work(() => controller.enqueue(chunk))
        if (rest) await rest
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
