/** Loopback names of this machine. */
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]']

/**
 * The host in a Host header (or an origin without its scheme), as `name:port` in lower case; `defaultPort` applies to a
 * header without a port. The Host check compares it: with DNS rebinding the header names the foreign site.
 */
export function hostNamed(header: string, defaultPort: number): string {
  const at = header.lastIndexOf(':')
  const isWithoutPort = at <= header.lastIndexOf(']')
  return (isWithoutPort ? `${header}:${defaultPort}` : header).toLowerCase()
}

/** The Host check of the server on loopback. */
export function isLoopbackHost(header: string | undefined, port: number): boolean {
  return header !== undefined && LOOPBACK.some((name) => hostNamed(header, 80) === `${name}:${port}`)
}

/** An address or a name, formatted for a URL. */
export function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
