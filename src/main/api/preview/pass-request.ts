import type { IncomingMessage, ServerResponse, ClientRequest, OutgoingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream'
import {
  isFrameLoad,
  isPage,
  movedTo,
  requestHeaders,
  responseHeaders,
  type PreviewOrigins,
  frameHeaders,
} from './preview-headers'
import type { PreviewTarget } from './preview-target'
import { ScriptInsertion, SCRIPT_PATH } from './script-insertion'
import type * as Http from 'node:http'
import type { LookupFunction } from 'node:net'

/** An import would load everything it exports, including Node's `fetch`. */
export const http = (): typeof Http => process.getBuiltinModule('node:http')

export const MAX_HEADER_BYTES = 64 << 10

const ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Names are not resolved: they are names of this machine, whatever a resolver returns. */
const lookup: LookupFunction = (_name, options, done) => {
  if (options.all) done(null, ADDRESSES)
  else done(null, '127.0.0.1', 4)
}

/** Starts a request to a previewed server, on its own connection. */
export function askServer(
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
  { hostname, port }: PreviewTarget,
  headers: OutgoingHttpHeaders,
): ClientRequest {
  return http().request({
    host: hostname,
    port,
    method,
    path: url,
    headers,
    lookup,
    agent: false,
    maxHeaderSize: MAX_HEADER_BYTES,
  })
}

export interface Passing {
  target: PreviewTarget
  origins: PreviewOrigins
  /** Called with the first page, to delete what an earlier preview stored at this port. */
  isFirstPage(): boolean
}

/** Status codes of responses without a body. */
const EMPTY = new Set([204, 205, 304])

/**
 * Forwards one request and streams the response. An error of the server ends in a message or breaks off the response.
 */
export function passRequest(request: IncomingMessage, response: ServerResponse, passing: Passing): void {
  const { target, origins } = passing
  const asked = askServer(request, target, requestHeaders(request.headers, origins))
  response.on('close', () => asked.destroy())
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (response.headersSent || response.destroyed) response.destroy()
    else if (error.code?.startsWith('HPE_')) sendUnreadable(response, passing)
    else sendUnreachable(response, passing)
  })
  asked.on('upgrade', (_answer, socket) => {
    socket.destroy()
    if (!response.headersSent) sendUnreadable(response, passing)
  })
  asked.on('response', (answer: IncomingMessage) => {
    try {
      passAnswer(request, response, answer, passing)
    } catch {
      // An invalid status or header.
      answer.destroy()
      if (response.headersSent) response.destroy()
      else sendUnreadable(response, passing)
    }
  })
  pipeline(request, asked, () => undefined)
}

function passAnswer(
  { method, headers: asked, url = '/' }: IncomingMessage,
  response: ServerResponse,
  answer: IncomingMessage,
  passing: Passing,
): void {
  const { origins } = passing
  const status = answer.statusCode ?? 502
  const moved = answer.headers.location === undefined ? undefined : movedTo(answer.headers.location, origins, url)
  if (moved?.isElsewhere && status >= 300 && status < 400 && isFrameLoad(asked)) {
    answer.destroy()
    sendElsewhere(response, passing, moved.href)
    return
  }
  const isWhole = isPage(answer.headers) && status !== 206 && !EMPTY.has(status)
  const headers = responseHeaders(answer.headers, origins, { path: url, isChanged: isWhole })
  if (isWhole && passing.isFirstPage()) headers['clear-site-data'] = '"storage"'
  response.writeHead(status, headers)
  const ended = (error?: Error | null): void => void (error && response.destroy())
  if (isWhole && method !== 'HEAD') pipeline(answer, new ScriptInsertion(), response, ended)
  else pipeline(answer, response, ended)
}

interface Place {
  target: PreviewTarget
  origins: PreviewOrigins
}

/** The server could not be reached. */
function sendUnreachable(response: ServerResponse, { target, origins }: Place): void {
  const text = 'Start the server, or have the agent start it, and reload.'
  sendNote(response, origins, 502, { title: 'No server', heading: `Nothing answers at ${target.origin}`, text })
}

/** The response is nothing that a browser could show. */
function sendUnreadable(response: ServerResponse, { target, origins }: Place): void {
  sendNote(response, origins, 502, {
    title: 'No page',
    heading: `What answers at ${target.origin} is not a web page`,
    text: 'Its answer could not be read as HTTP. Check the port.',
  })
}

/** The server redirects to another one, which the frame cannot show. */
function sendElsewhere(response: ServerResponse, { target, origins }: Place, href: string): void {
  sendNote(response, origins, 200, {
    title: 'Another site',
    heading: `${target.origin} sends you to another site`,
    text: `A preview shows one server of this machine. Open this address in your browser instead: ${href}`,
  })
}

function sendNote(
  response: ServerResponse,
  origins: PreviewOrigins,
  status: number,
  { title, heading, text }: { title: string; heading: string; text: string },
): void {
  response.writeHead(status, {
    ...frameHeaders(origins),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(`<!doctype html><title>${escaped(title)}</title><style>
body{font:14px/1.5 system-ui;margin:40px;color:#555;overflow-wrap:anywhere}</style>
<script src="${SCRIPT_PATH}"></script><h1 style="font-size:16px">${escaped(heading)}</h1><p>${escaped(text)}</p>`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
