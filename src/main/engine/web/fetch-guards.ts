import { isIP } from 'node:net'
import { nonPublicKind } from '../network/public-address'

/** Longer URLs are refused. */
const MAX_CHARS = 8_000

/**
 * The URL to fetch; throws a `WebRefusal` otherwise. `allowedHosts` are names, or `name:port`, that the user allowed
 * even if they resolve to this machine or a private network. Only the text is checked here; resolved addresses are
 * checked on connection.
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  if (text.length > MAX_CHARS) throw new WebRefusal(`The URL is longer than ${MAX_CHARS} characters.`)
  if (!URL.canParse(text))
    throw new WebRefusal(`${JSON.stringify(text)} is not a whole URL. Give one like https://example.org/page.`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new WebRefusal(`Only http and https can be fetched, not ${url.protocol} URLs.`)
  if (url.username !== '' || url.password !== '')
    throw new WebRefusal(
      'URLs with a name or password in them are not fetched. Leave it out; pages that need one cannot be read.',
    )
  const address = literalAddress(url)
  const kind = address === undefined ? undefined : nonPublicKind(address)
  if (kind !== undefined && !isAllowed(url, allowedHosts)) throw new WebRefusal(refusalOf(url.host, kind))
  return url
}

/**
 * The IP address in a URL, if its host is one. The URL parser has normalized decimal, octal, hexadecimal and shortened
 * forms.
 */
export function literalAddress({ hostname }: Pick<URL, 'hostname'>): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? undefined : host
}

/** Whether the user allowed this host (a name without a port allows every port). */
export function isAllowed(url: URL, allowedHosts: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const names = [url.hostname, `${url.hostname}:${port}`]
  return allowedHosts.some((allowed) => names.includes(allowed.toLowerCase()))
}

export function refusalOf(host: string, kind: string): string {
  return (
    `${host} is not fetched: it leads to ${kind}. If the user wants that, ` +
    'they can name the host in [web] allowed_hosts of config.toml; for a server of this project use curl in Bash.'
  )
}

/** The text of a response; throws a `WebRefusal` if it is larger than `maxBytes`. */
export async function readLimitedText(answer: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new WebRefusal(`The answer is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Why a URL is not fetched, as a message for the model. */
export class WebRefusal extends Error {
  override readonly name = 'WebRefusal'
}
