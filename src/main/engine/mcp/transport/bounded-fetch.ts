import type { FetchLike } from '../auth/mcp-auth'
import { Pace } from './pace'
import { tooLong } from './read-message'
import { MAX_MESSAGE_BYTES } from './stdio-transport'

/**
 * `fetch` for what a server sends: an answer, or one event of a stream, that is larger than a message may be ends with an error instead of filling the
 * memory, and a server that never stops sending does not take the whole processor.
 */
export function boundedFetch(inner: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init)
    if (!response.body) return response
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const bounded = new Response(response.body.pipeThrough(limit(isStream)), response)
    // What the constructor does not take over, and redirects are judged by.
    Object.defineProperties(bounded, {
      url: { value: response.url },
      redirected: { value: response.redirected },
      type: { value: response.type },
    })
    return bounded
  }
}

/** Counts the bytes of the whole answer, or since the latest end of an event. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const pace = new Pace()
  let bytes = 0
  let lastWasBreak = false
  return new TransformStream({
    async transform(chunk, controller) {
      let start = 0
      if (isStream) {
        const end = endOfEvent(chunk, lastWasBreak)
        if (end > 0) [bytes, start] = [0, end]
        lastWasBreak = isBreak(chunk.at(-1))
      }
      bytes += chunk.length - start
      if (bytes > MAX_MESSAGE_BYTES) throw new Error(tooLong(undefined, MAX_MESSAGE_BYTES))
      const rest = pace.work(() => controller.enqueue(chunk))
      if (rest) await rest
    },
  })
}

/** Where the last event that ends in these bytes ends: after an empty line. 0: none does. */
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
