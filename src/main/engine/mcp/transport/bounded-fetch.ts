import { setTimeout as pause } from 'node:timers/promises'
import { AnswerReader, checkedAnswer } from './answer-reader'
import { MAX_MESSAGE_BYTES, ReadThrottle, TOO_LONG_CODE, tooLongMessage } from './message-reader'
import type { FetchLike } from '../sign-in/mcp-auth'

/** The code for a response that will not arrive because its stream has ended. Servers do not use it. */
export const STREAM_LOST_CODE = -32_051
/** Minimum time between two requests for a stream: a server chooses how soon one that has ended is opened again. */
const MIN_REOPEN_MS = 250

/**
 * `fetch` for a server's data. A response or stream event that exceeds the maximum message size ends with an error
 * instead of filling the memory, and a server that never stops sending cannot use the whole processor. If a stream ends
 * without the expected response and cannot be resumed, or the protocol library would drop the response, the call fails
 * immediately instead of waiting for its timeout. Streams that end at once are opened again at a limited rate.
 */
export function boundedFetch(inner: FetchLike): FetchLike {
  let nextOpening = 0
  return async (url, init) => {
    if ((init?.method ?? 'GET') === 'GET') {
      const wait = nextOpening - performance.now()
      nextOpening = performance.now() + Math.max(0, wait) + MIN_REOPEN_MS
      if (wait > 0) await pause(wait, undefined, init?.signal ? { signal: init.signal } : {})
    }
    const response = await inner(url, init)
    if (!response.body) return response
    const type = response.headers.get('content-type') ?? ''
    const request = requestOf(init)
    const body = /^text\/event-stream\b/i.test(type)
      ? boundedStream(response.body, request)
      : response.ok && request !== undefined && /^application\/json\b/i.test(type)
        ? checkedAnswer(await new Response(boundedAnswer(response.body)).text(), request)
        : boundedAnswer(response.body)
    const bounded = new Response(body, response)
    // The Response constructor does not accept these, but redirects are judged by them.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
      type: { value: response.type },
    })
    return bounded
  }
}

/** The id of the request being sent, which the stream should answer. */
function requestOf(init: RequestInit | undefined): number | undefined {
  if (typeof init?.body !== 'string') return undefined
  const { id, method } = JSON.parse(init.body) as { id?: unknown; method?: unknown }
  return typeof id === 'number' && method !== undefined ? id : undefined
}

function boundedAnswer(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0
  return throttledStream(body, (chunk) => {
    bytes += chunk.length
    if (bytes > MAX_MESSAGE_BYTES) throw new Error(tooLongMessage(undefined, MAX_MESSAGE_BYTES))
  })
}

function boundedStream(body: ReadableStream<Uint8Array>, request: number | undefined): ReadableStream<Uint8Array> {
  const answers = new AnswerReader(request)
  let bytes = 0
  let lastWasBreak = true
  const failure = (code: number, message: string): Uint8Array | undefined =>
    request === undefined
      ? undefined
      : new TextEncoder().encode(
          `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: request, error: { code, message } })}\n\n`,
        )
  return throttledStream(
    body,
    (chunk) => {
      const end = endOfEvent(chunk, lastWasBreak)
      bytes = end > 0 ? chunk.length - end : bytes + chunk.length
      lastWasBreak = isBreak(chunk.at(-1))
      if (bytes <= MAX_MESSAGE_BYTES) {
        const repeated = answers.take(chunk, end)
        return repeated === undefined
          ? undefined
          : { instead: Buffer.concat([chunk.subarray(0, end), Buffer.from(repeated), chunk.subarray(end)]) }
      }
      const last = failure(TOO_LONG_CODE, tooLongMessage(undefined, MAX_MESSAGE_BYTES))
      if (!last) throw new Error(tooLongMessage(undefined, MAX_MESSAGE_BYTES))
      return { last }
    },
    (error) =>
      answers.isPending
        ? failure(
            STREAM_LOST_CODE,
            `The server ended the stream before it had answered${error === undefined ? '' : ` (${error.message})`}.`,
          )
        : undefined,
  )
}

/**
 * The same bytes, throttled. `look` can return a chunk that replaces the current one (`instead`), also as the last one
 * (`last`); an error thrown by it ends the stream. `ended` provides a final chunk for when the other side ends or
 * aborts.
 */
function throttledStream(
  body: ReadableStream<Uint8Array>,
  look: (chunk: Uint8Array) => { instead: Uint8Array } | { last: Uint8Array } | undefined | void,
  ended: (error?: Error) => Uint8Array | undefined = () => undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pace = new ReadThrottle()
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
        let chunk = read.value
        try {
          const found = look(chunk)
          if (found && 'instead' in found) chunk = found.instead
          else if (found) {
            last(found.last)
            await reader.cancel().catch(() => undefined)
            return
          }
        } catch (error) {
          controller.error(error)
          await reader.cancel().catch(() => undefined)
          return
        }
        const rest = pace.run(() => controller.enqueue(chunk))
        if (rest) await rest
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The end of the last complete event in these bytes, which is after an empty line. 0: no event ends. */
function endOfEvent(chunk: Uint8Array, lastWasBreak: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (!isBreak(chunk[at])) continue
    const before = at > 0 ? chunk[at - 1] : lastWasBreak ? 0x0a : undefined
    const isPair = chunk[at] === 0x0a && before === 0x0d
    if (isPair ? isBreak(at > 1 ? chunk[at - 2] : undefined) : isBreak(before)) return at + 1
  }
  return 0
}

function isBreak(byte: number | undefined): boolean {
  return byte === 0x0a || byte === 0x0d
}
