import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One parsed entry of a host list. */
export interface HostEntry {
  /** Canonical, without the leading `*.`. */
  host: string
  /** `*.example.com`: every name below `example.com`, and not `example.com` itself. */
  subdomains: boolean
  /** Undefined: the web ports, 80 and 443. */
  port: number | undefined
}

const WEB_PORTS: readonly number[] = [80, 443]
/** A DNS name has at most 253 characters; percent-encoding can make it longer. */
const MAX_WRITTEN = 1000
const MAX_NAME = 253
/** Characters that the URL parser would interpret (or drop) and that no host name contains. */
const NOT_IN_HOSTS = new Set('/?#@\\:[]<>^|"\'`{} ')

/**
 * The canonical spelling of a host, used both to check and to connect, or undefined if it is not a host: lower case,
 * Punycode, without a trailing dot, percent signs decoded, IPv4 addresses in dotted decimal (even if written as
 * `0x7f.1`), IPv6 addresses shortened, without brackets, and IPv4-mapped ones as IPv4. A host with a user name
 * (`good.com@evil.com`) is not a host.
 */
export function canonicalHost(text: string): string | undefined {
  if (text.length === 0 || text.length > MAX_WRITTEN) return undefined
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  // A zone (`fe80::1%eth0`) names an interface of this machine; such an address is never public.
  if (isIP(bare) === 6) return bare.includes('%') ? undefined : ipaddr.process(bare).toString()
  for (const char of text) if (NOT_IN_HOSTS.has(char) || char <= ' ' || char === '\u007f') return undefined
  const url = `http://${text}/`
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  if (name === '' || name.length > MAX_NAME || name.split('.').includes('')) return undefined
  return name
}

/** The host and port of `example.com:443` or `[::1]:443`, both required; undefined for anything else. */
export function hostAndPort(text: string): { host: string; port: number } | undefined {
  const colon = text.lastIndexOf(':')
  const written = colon === -1 ? '' : text.slice(0, colon)
  const port = colon === -1 ? undefined : portOf(text.slice(colon + 1))
  // An IPv6 address needs brackets here: without them its last group would be read as the port.
  const host = isIP(written) === 6 ? undefined : canonicalHost(written)
  return host === undefined || port === undefined ? undefined : { host, port }
}

/**
 * Parses one entry of a list in the settings: `example.com`, `*.example.com`, `192.0.2.1`, `[2001:db8::1]`, each with
 * an optional `:port`. Undefined if it is not an entry: a URL, a bare `*`, a whole top-level domain (`*.com`), or a `*`
 * anywhere but in front.
 */
export function parseHostEntry(text: string): HostEntry | undefined {
  const entry = text.trim()
  const subdomains = entry.startsWith('*.')
  const rest = subdomains ? entry.slice(2) : entry
  if (rest.includes('*')) return undefined
  const withPort = rest.includes(':') && isIP(rest) !== 6 && !rest.endsWith(']')
  const parsed = withPort ? hostAndPort(rest) : { host: canonicalHost(rest), port: undefined }
  if (parsed?.host === undefined) return undefined
  if (subdomains && (isIP(parsed.host) !== 0 || !parsed.host.includes('.'))) return undefined
  return { host: parsed.host, subdomains, port: parsed.port }
}

/**
 * Whether a connection to `host` and `port` is listed. Without a port an entry covers only 80 and 443, so that
 * `example.com` does not also open its mail or SSH server. An IP address is allowed only if the list has that exact
 * address. Invalid entries allow nothing.
 */
export function hostAllowed(list: readonly string[], host: string, port: number): boolean {
  const name = canonicalHost(host)
  if (name === undefined) return false
  const isAddress = isIP(name) !== 0
  return list.some((text) => {
    const entry = parseHostEntry(text)
    if (entry === undefined) return false
    if (entry.port === undefined ? !WEB_PORTS.includes(port) : entry.port !== port) return false
    return entry.subdomains ? !isAddress && name.endsWith(`.${entry.host}`) : name === entry.host
  })
}

function portOf(text: string): number | undefined {
  if (text.length === 0 || text.length > 5) return undefined
  for (const char of text) if (char < '0' || char > '9') return undefined
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : undefined
}

/**
 * The package registries that installing and building require, without hosts that also store uploads from users without
 * a registry account.
 *
 * Deliberately excluded: `github.com` and its download hosts (pushing code, gists and releases are one request away),
 * `storage.googleapis.com` (to which the Go proxy redirects a few large modules, but where any user can own a bucket),
 * and hosts that only publish (`upload.pypi.org`). Registries that accept publications on the host they serve from
 * (npm, crates.io) can be published to with a token; the sandbox hides the tokens instead.
 */
export const PACKAGE_REGISTRIES: readonly string[] = [
  // npm, pnpm and Bun; `npm install` uses the same host for its audit.
  'registry.npmjs.org',
  // Yarn: the registry of version 1, and the releases that Corepack downloads.
  'registry.yarnpkg.com',
  'repo.yarnpkg.com',
  // node-gyp downloads the headers of Node here to build native modules.
  'nodejs.org',
  // pip, uv and Poetry: the index, and its file host.
  'pypi.org',
  'files.pythonhosted.org',
  // Cargo: the API and search, the files, and the sparse index.
  'crates.io',
  'static.crates.io',
  'index.crates.io',
  // Go: modules and toolchains, and the checksum database.
  'proxy.golang.org',
  'sum.golang.org',
  // Maven Central under its two names.
  'repo1.maven.org',
  'repo.maven.apache.org',
  // Gradle: plugins (the portal redirects to the second host for files), and the wrapper's distributions.
  'plugins.gradle.org',
  'plugins-artifacts.gradle.org',
  'services.gradle.org',
]
