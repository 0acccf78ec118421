import type { IncomingMessage } from 'node:http'
import { type Readable, pipeline } from 'node:stream'
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib'
import { checkUrl, isAllowed, refusalOf, WebRefusal } from './fetch-guards'
import { agentFor, withProxyLabel } from '../network/http-agents'
import { withSystemCertificates } from '../network/certificates'
import type { ProxyFor } from '../network/choose-proxy'
import { checkedLookup, nonPublicKindOf, systemLookup, type Resolve } from '../network/checked-lookup'

export interface PageLimits {
  /** Maximum bytes of a decoded body. */
  bytes: number
  redirects: number
  /** ms from the first connection to the last byte. */
  totalMs: number
  /** Every `dripMs`, at least `dripBytes` must arrive. */
  dripMs: number
  dripBytes: number
}

export const PAGE_LIMITS: PageLimits = {
  bytes: 10 * 1024 * 1024,
  redirects: 10,
  totalMs: 25_000,
  dripMs: 8_000,
  dripBytes: 1024,
}

export interface PageRequest {
  url: string
  signal: AbortSignal
  allowedHosts: readonly string[]
  /** Why a redirect target may not be visited. */
  refusal?: (url: string) => Promise<string | undefined>
  limits?: Partial<PageLimits>
  /** Resolves names; default: the system's resolver. Every address is checked before one is connected to. */
  resolve?: Resolve
  /** Selects the proxy of a page, which then resolves its name; default: none. */
  proxyFor?: ProxyFor
}

export interface Page {
  /** After redirects. */
  url: URL
  status: number
  contentType: string
  body: Buffer
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const HEADERS = {
  accept:
    'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, br, deflate, zstd',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; Trestle; +https://github.com/trestle)',
}

/**
 * Fetches one page of the open web, following redirects. The checked address is the one that is used: a name is
 * resolved here, all its addresses are checked, and the connection uses those, so that a changing name cannot redirect
 * it; each redirect is checked again. Rejects with a `WebRefusal` with the reason, with the signal's reason, or with
 * the system's error if the server cannot be reached.
 */
export async function fetchPage(request: PageRequest): Promise<Page> {
  const limits = { ...PAGE_LIMITS, ...request.limits }
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new WebRefusal(`The page took longer than ${limits.totalMs / 1000} s and was given up.`)),
    limits.totalMs,
  )
  const signal = AbortSignal.any([request.signal, late.signal])
  try {
    let url = checkUrl(request.url, request.allowedHosts)
    for (let hops = 0; ; hops++) {
      const answer = await answerTo(url, request, signal)
      const { statusCode: status = 0, headers } = answer
      if (!REDIRECTS.has(status) || headers.location === undefined) {
        const body = await bodyOf(answer, limits, signal)
        return { url, status, contentType: headers['content-type'] ?? '', body }
      }
      answer.destroy()
      if (hops >= limits.redirects)
        throw new WebRefusal(`${request.url} redirects more than ${limits.redirects} times.`)
      if (!URL.canParse(headers.location, url.href))
        throw new WebRefusal(`${url.href} redirects to ${JSON.stringify(headers.location)}, which is no URL.`)
      url = checkUrl(new URL(headers.location, url).href, request.allowedHosts)
      const refusal = await request.refusal?.(url.href)
      if (refusal !== undefined)
        throw new WebRefusal(`${request.url} redirects to ${url.href}, which is not visited: ${refusal}.`)
    }
  } finally {
    clearTimeout(timer)
  }
}

async function answerTo(
  url: URL,
  { allowedHosts, resolve, proxyFor }: PageRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  signal.throwIfAborted()
  const allowed = isAllowed(url, allowedHosts)
  const proxy = await proxyFor?.(url)
  if (proxy && !allowed) await checkName(url, resolve ?? systemLookup)
  const lookup = checkedLookup(resolve ?? systemLookup, (_name, addresses) => {
    const inner = allowed ? undefined : nonPublicKindOf(addresses)
    if (inner !== undefined) throw new WebRefusal(refusalOf(url.host, inner))
  })
  // `agent: false`, because a kept connection could belong to a name that has changed since.
  const route = proxy ? { agent: agentFor(url.protocol as 'http:' | 'https:', proxy) } : { agent: false, lookup }
  return withSystemCertificates(
    () =>
      new Promise<IncomingMessage>((settle, reject) => {
        const made = request(url, { headers: HEADERS, ...route, signal }, settle)
        made.on('error', (error) => reject(signal.aborted ? signal.reason : withProxyLabel(error, proxy)))
        made.end()
      }),
  )
}

/**
 * A proxy resolves the name again, possibly where this machine cannot; names that resolve to a non-public address here
 * are refused.
 */
async function checkName(url: URL, resolve: Resolve): Promise<void> {
  const inner = nonPublicKindOf(await resolve(url.hostname).catch(() => []))
  if (inner !== undefined) throw new WebRefusal(refusalOf(url.host, inner))
}

async function bodyOf(answer: IncomingMessage, limits: PageLimits, signal: AbortSignal): Promise<Buffer> {
  const announced = Number(answer.headers['content-length'] ?? 0)
  if (announced > limits.bytes) {
    answer.destroy()
    throw tooLarge(limits)
  }
  const source: Readable = decodeContent(answer)
  const chunks: Buffer[] = []
  let [size, inWindow] = [0, 0]
  const slow = setInterval(() => {
    if (inWindow < limits.dripBytes)
      source.destroy(
        new WebRefusal(`The server sends too slowly: under ${limits.dripBytes} bytes in ${limits.dripMs / 1000} s.`),
      )
    inWindow = 0
  }, limits.dripMs)
  const abort = (): void => void source.destroy(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length
      inWindow += chunk.length
      if (size > limits.bytes) throw tooLarge(limits)
      chunks.push(chunk)
    }
    signal.throwIfAborted()
    return Buffer.concat(chunks)
  } finally {
    clearInterval(slow)
    signal.removeEventListener('abort', abort)
    answer.destroy()
  }
}

function tooLarge(limits: PageLimits): WebRefusal {
  return new WebRefusal(
    `The page is larger than ${Math.round(limits.bytes / 1024 / 1024)} MiB. ` +
      'Fetch a part of it, or download it with curl in Bash.',
  )
}

/** Each content coding takes memory and time; servers normally use one. */
const MAX_CODINGS = 4

/** Decodes the body. An unknown content coding is passed on unchanged. */
function decodeContent(message: IncomingMessage): Readable {
  let source: Readable = message
  const codings = (message.headers['content-encoding'] ?? '').toLowerCase().split(',')
  if (codings.length > MAX_CODINGS) {
    message.destroy()
    throw new WebRefusal(`The page is encoded ${codings.length} times, one in the other, so it is not read.`)
  }
  for (const coding of codings.toReversed()) {
    const decoder = decoderFor(coding.trim())
    // An error of any stream reaches the last one, which is read.
    if (decoder) source = pipeline(source, decoder, () => undefined)
  }
  return source
}

function decoderFor(coding: string) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return createUnzip()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    default:
      return undefined
  }
}
