import { isIP } from 'node:net'
import { notPublic } from './public-address'
import { WebRefusal } from './web-refusal'

/** Longer URLs are no addresses any more. */
const MOST_CHARS = 8_000

/**
 * The URL to fetch, or a `WebRefusal`. `allowedHosts` are names, or `name:port`, that the user allowed although they may lead to this machine or a private
 * network. Only the text is looked at; what a name resolves to is checked when it is connected to.
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  if (text.length > MOST_CHARS) throw new WebRefusal(`The URL is longer than ${MOST_CHARS} characters.`)
  if (!URL.canParse(text)) throw new WebRefusal(`${JSON.stringify(text)} is not a whole URL. Give one like https://example.org/page.`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebRefusal(`Only http and https can be fetched, not ${url.protocol} URLs.`)
  if (url.username !== '' || url.password !== '')
    throw new WebRefusal('URLs with a name or password in them are not fetched. Leave it out; pages that need one cannot be read.')
  const address = literalAddress(url)
  const kind = address === undefined ? undefined : notPublic(address)
  if (kind !== undefined && !isAllowed(url, allowedHosts)) throw new WebRefusal(refusalOf(url.host, kind))
  return url
}

/** The IP address a URL names itself. The URL parser has turned decimal, octal, hexadecimal and shortened forms into the usual one. */
export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}

/** Whether the user allowed this host by name (a name without a port allows every port). */
export function isAllowed(url: URL, allowedHosts: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const names = [url.hostname, `${url.hostname}:${port}`]
  return allowedHosts.some((allowed) => names.includes(allowed.toLowerCase()))
}

export function refusalOf(host: string, kind: string): string {
  return `${host} is not fetched: it leads to ${kind}. If the user wants that, they can name the host in [web] allowed_hosts of config.toml; for a server of this project use curl in Bash.`
}
