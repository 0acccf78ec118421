import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { CodedError } from '../../../shared/errors'
import { agentFor, httpModule, withProxyLabel } from './http-agents'
import { withSystemCertificates } from './certificates'
import type { ProxyFor } from './choose-proxy'
import { fieldOf } from '../../../shared/json-fields'
import { HeaderList } from './header-list'
import { HttpResponse } from './http-response'

/** Limit for name lookup, connection and TLS together. */
const CONNECT_LIMIT_MS = 10_000

type Protocol = 'http:' | 'https:'
const nothing = (): void => {}

/** Connections of its own for a request, whose names are looked up by `lookup`; a proxy takes precedence. */
export interface Route {
  agent: Agent
  lookup: LookupFunction
}

/** One request, which may be sent twice. */
interface Sending {
  url: URL
  options: RequestOptions
  body: string | Uint8Array | undefined
  /** Instead of `body`. */
  pieces: readonly Uint8Array[] | undefined
  signal: AbortSignal | null | undefined
  sent: (() => void) | undefined
}

/**
 * `fetch` for model servers over node:http, as far as provider packages need it: it starts and responds faster than
 * Node's own and takes less memory. It never follows redirects, has no timeouts once connected, and requests no
 * compression. Connections are kept alive; idle ones do not keep the process alive. Rejects with the signal's reason,
 * with a `CodedError` if the request cannot be sent, or like `fetch` with a `TypeError` whose cause has the details.
 * `proxyFor` selects the proxy; without it, and for bodies that are not text or bytes, Node's own `fetch` is used, in
 * the first case only if Node was told to use proxies.
 */
export function createHttpFetch(proxyFor?: ProxyFor): Fetch {
  return Object.assign(fetchWith(proxyFor), { takesPieces: true })
}

const fetchWith =
  (proxyFor?: ProxyFor): Fetch =>
  async (input, init) => {
    const pieces = init?.pieces
    const body = init?.body ?? undefined
    const isPlain = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    if (!isPlain || !(typeof input === 'string' || input instanceof URL) || (!proxyFor && usesProxies()))
      return globalThis.fetch(input, pieces ? { ...init, body: Buffer.concat(pieces) } : init)
    const signal = init?.signal
    signal?.throwIfAborted()
    const url = checked(new URL(input))
    const headers = new HeaderList(init?.headers)
    if (!headers.has('accept')) headers.set('accept', '*/*')
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity')
    if (pieces) headers.set('content-length', String(pieces.reduce((sum, piece) => sum + piece.length, 0)))
    const proxy = await proxyFor?.(url)
    const options = {
      method: init?.method ?? 'GET',
      headers: Object.fromEntries(headers),
      ...(proxy || !init?.route ? { agent: agentFor(url.protocol as Protocol, proxy) } : init.route),
    }
    const message = await withSystemCertificates(() =>
      answerTo({ url, options, body: pieces ? undefined : body, pieces, signal, sent: init?.sent }),
    ).catch((error: unknown) => {
      throw withProxyLabel(error, proxy)
    })
    const source = message.headers['content-encoding'] === undefined ? message : decoded(message)
    return new HttpResponse(message, source, signal) as unknown as Response
  }

/** Resolves with the head of the response. */
async function answerTo(sending: Sending): Promise<IncomingMessage> {
  const { url, options, body, pieces, signal, sent } = sending
  let request: ClientRequest | undefined
  let bytesBefore = 0
  let abort = nothing
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const made = httpModule(url.protocol as Protocol).request(url, options, resolve)
      request = made
      made.on('error', reject)
      if (sent) made.once('finish', sent)
      made.once('socket', (socket) => {
        bytesBefore = socket.bytesRead
        if (socket.connecting) limitConnecting(made, url.protocol === 'https:' ? 'secureConnect' : 'connect')
      })
      abort = () => {
        reject(signal?.reason)
        made.destroy()
      }
      signal?.addEventListener('abort', abort, { once: true })
      for (const piece of pieces ?? []) made.write(piece)
      made.end(body)
    })
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const code = fieldOf(error, 'code')
    if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN' || code === 'ERR_UNESCAPED_CHARACTERS')
      throw new CodedError(
        'model.bad_request',
        `The request cannot be sent: ${String(fieldOf(error, 'message'))}. Check the key and the headers.`,
      )
    // The server closed an idle connection just as it was reused: it has not received the request.
    const isStale = request?.reusedSocket === true && request.socket?.bytesRead === bytesBefore
    if (isStale && (code === 'ECONNRESET' || code === 'EPIPE'))
      return answerTo({ ...sending, options: { ...options, agent: false } })
    throw new TypeError('fetch failed', { cause: error })
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Gives up on a host that does not respond; the system would try for minutes. */
function limitConnecting(request: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  const timer = setTimeout(
    () => request.destroy(Object.assign(new Error('the connection timed out'), { code: 'ETIMEDOUT' })),
    CONNECT_LIMIT_MS,
  )
  request.once('close', () => clearTimeout(timer))
  request.socket?.once(connected, () => clearTimeout(timer))
}

/** Decodes the body, for servers that compress it although no compression was requested. */
function decoded(message: IncomingMessage): Readable {
  const codings = message.headers['content-encoding']!.toLowerCase().split(',')
  const { pipeline } = process.getBuiltinModule('node:stream')
  const zlib = process.getBuiltinModule('node:zlib')
  let source: Readable = message
  for (const coding of codings.map((name) => name.trim()).toReversed()) {
    const decoder =
      coding === 'gzip' || coding === 'x-gzip' || coding === 'deflate'
        ? zlib.createUnzip()
        : coding === 'br'
          ? zlib.createBrotliDecompress()
          : coding === 'zstd'
            ? zlib.createZstdDecompress()
            : undefined
    // An unknown coding is passed on unchanged, as `fetch` does. Errors reach the last stream of the chain, which is
    // read.
    if (decoder) source = pipeline(source, decoder, nothing)
  }
  return source
}

function checked(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new CodedError(
      'model.bad_request',
      `The base URL must begin with http:// or https://, not with ${url.protocol}`,
    )
  if (url.username !== '' || url.password !== '')
    throw new CodedError(
      'model.bad_request',
      'The base URL must not contain a name or a password. Put the key where keys go, or into a header.',
    )
  return url
}

/** Whether Node was told to take proxies from the environment. */
function usesProxies(): boolean {
  const { NODE_USE_ENV_PROXY: wanted, NODE_OPTIONS: options = '' } = process.env
  return wanted === '1' || [...process.execArgv, ...options.split(' ')].includes('--use-env-proxy')
}

/** `fetch` without Trestle's own proxy selection. */
export const httpFetch = createHttpFetch()

/**
 * `sent` is called once the whole request was passed to the system, where that is known. `pieces`: the body, if
 * `takesPieces` shows that they are supported; their bytes must stay unchanged until the request has ended.
 */
export type Fetch = ((
  input: string | URL | Request,
  init?: RequestInit & { sent?: () => void; pieces?: readonly Uint8Array<ArrayBuffer>[]; route?: Route },
) => Promise<Response>) & { readonly takesPieces?: boolean }
