import type { Transport } from '@modelcontextprotocol/client'
import type { McpLogLine, McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { McpAuth, FetchLike } from '../sign-in/mcp-auth'
import { StdioTransport, MAX_MESSAGE_BYTES } from './stdio-transport'
import { ReadThrottle, TOO_LONG_CODE, tooLongMessage } from './message-reader'

export interface TransportPlace {
  home: string
  /** The folder where a server without `cwd` runs. */
  cwd: string
  /** The environment of commands, without keys. */
  env(): Record<string, string>
  /** The sandbox of a program; undefined: no sandbox. */
  sandbox: SandboxPolicy | undefined
  log(line: Omit<McpLogLine, 'at'>): void
  /** Signs in where required. */
  fetchFor: McpAuth['fetchFor']
}

/** The transport for a definition, not yet started. Its variables are expanded. */
export async function openTransport(
  definition: McpServerDefinition,
  { home, cwd, env, sandbox, log, fetchFor }: TransportPlace,
): Promise<Transport> {
  if (definition.transport === 'stdio') {
    const { command, args } = definition
    const place = { home, cwd: definition.cwd ?? cwd, env: { ...env(), ...definition.env } }
    return new StdioTransport({ ...place, command, args, ...(sandbox && { sandbox }) }, log)
  }
  const url = new URL(definition.url)
  const options = {
    fetch: boundedFetch(fetchFor(definition)),
    requestInit: { headers: { ...definition.headers } },
  }
  if (definition.transport === 'sse') {
    const { SSEClientTransport } = await import('@modelcontextprotocol/client')
    return new SSEClientTransport(url, options)
  }
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  return new StreamableHTTPClientTransport(url, options)
}

/** The code for a response that will not arrive because its stream has ended. Servers do not use it. */
export const STREAM_LOST_CODE = -32_051

/**
 * `fetch` for a server's data. A response or stream event that exceeds the maximum message size ends with an error
 * instead of filling the memory; a server that never stops sending cannot use the whole processor; and if a stream ends
 * without the expected response and cannot be resumed, the call fails immediately instead of waiting for its timeout.
 */
function boundedFetch(inner: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init)
    if (!response.body) return response
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
    const body = isStream ? boundedStream(response.body, requestOf(init)) : boundedAnswer(response.body)
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
  const watch = new ResponseTracker(request)
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
      watch.scan(chunk)
      if (bytes <= MAX_MESSAGE_BYTES) return undefined
      const last = failure(TOO_LONG_CODE, tooLongMessage(undefined, MAX_MESSAGE_BYTES))
      if (!last) throw new Error(tooLongMessage(undefined, MAX_MESSAGE_BYTES))
      return last
    },
    (error) =>
      watch.isResponsePending
        ? failure(
            STREAM_LOST_CODE,
            `The server ended the stream before it had answered${error === undefined ? '' : ` (${error.message})`}.`,
          )
        : undefined,
  )
}

/**
 * The same bytes, throttled. A chunk returned by `look` replaces the current one and is the last; an error thrown by it
 * ends the stream. `ended` provides a final chunk for when the other side ends or aborts.
 */
function throttledStream(
  body: ReadableStream<Uint8Array>,
  look: (chunk: Uint8Array) => Uint8Array | undefined | void,
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
          const final = ended(error instanceof Error ? error : new Error(String(error)))
          if (final) last(final)
          else controller.error(error)
          return
        }
        if (read.done) {
          const final = ended()
          if (final) last(final)
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
        const rest = pace.run(() => controller.enqueue(chunk))
        if (rest) await rest
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

const OVERLAP = 64

/** Detects the response to a request in an event stream, without parsing the events. */
class ResponseTracker {
  readonly #answer: RegExp | undefined
  #tail = ''
  #isAnswered = false
  #canResume = false

  /** `request`: its id; without an id, no response is expected. */
  constructor(request: number | undefined) {
    this.#answer = request === undefined ? undefined : new RegExp(`"id"\\s*:\\s*${request}\\b`)
  }

  /**
   * Whether the response has not arrived and can no longer arrive: a stream whose events have ids is resumed where it
   * broke off.
   */
  get isResponsePending(): boolean {
    return this.#answer !== undefined && !this.#isAnswered && !this.#canResume
  }

  scan(chunk: Uint8Array): void {
    if (!this.isResponsePending) return
    const text = this.#tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')
    this.#isAnswered = this.#answer?.test(text) ?? false
    this.#canResume = /(?:^|[\r\n])id:/.test(text)
    this.#tail = text.slice(-OVERLAP)
  }
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
