import type * as Http from 'node:http'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { PreviewTarget } from './preview-target'

/** Importing it would load everything it exports, including Node's `fetch`. */
export const http = (): typeof Http => process.getBuiltinModule('node:http')

export const MAX_HEADER_BYTES = 64 << 10

const ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Names are not looked up: they are those of this machine, whatever a resolver says. */
const lookup: LookupFunction = (_name, options, done) => {
  if (options.all) done(null, ADDRESSES)
  else done(null, '127.0.0.1', 4)
}

/** Starts a request to a previewed server, on a connection of its own. */
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
