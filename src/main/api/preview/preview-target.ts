import { CodedError } from '../../../shared/errors'

/** A server on this machine. */
export interface PreviewTarget {
  /** As the user wrote it, e.g. `http://localhost:5173`. */
  origin: string
  /** The name or address to connect to. */
  hostname: string
  port: number
}

const LOOPBACK = /^(?:localhost|(?:[\w-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/
/** Names for the machine itself. Others, such as shop.localhost, can select one of several sites of a server. */
const PLAIN = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])

/** The server of a URL. Throws `request.invalid` for anything but plain HTTP to this machine, and for credentials. */
export function previewTarget(url: string): PreviewTarget {
  const { protocol, hostname, port, origin, username, password } = new URL(url)
  if (protocol !== 'http:' || username !== '' || password !== '')
    throw new CodedError(
      'request.invalid',
      protocol === 'http:'
        ? 'url: previews take no user name or password; only http:// on this machine.'
        : `url: ${protocol}// cannot be previewed; only http:// on this machine.`,
    )
  if (!LOOPBACK.test(hostname))
    throw new CodedError('request.invalid', `url: ${hostname} is not this machine; only local servers are previewed.`)
  // The unspecified address stands for every interface; it is reached through loopback.
  const name = { '0.0.0.0': '127.0.0.1', '[::]': '::1', '[::1]': '::1' }[hostname] ?? hostname
  return { origin, hostname: name.endsWith('.localhost') ? '127.0.0.1' : name, port: Number(port || '80') }
}

/** Whether a URL belongs to a server, under any name of this machine. */
export function isOfServer(url: URL, origin: string): boolean {
  if (url.origin === origin) return true
  const server = new URL(origin)
  return url.protocol === 'http:' && url.port === server.port && PLAIN.has(url.hostname) && PLAIN.has(server.hostname)
}
