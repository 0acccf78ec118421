import { errorText } from '../../../shared/error-text'
import { fetchPage } from './fetch-page'
import { WebRefusal } from './fetch-guards'
import { nonPublicKind } from '../network/public-address'
import type { ProxyFor } from '../network/choose-proxy'

export interface LocateRequest {
  /** The URL of the service. The user chose it, so it may be on this machine. */
  service: string
  signal: AbortSignal
  /** See `PageRequest`. */
  proxyFor?: ProxyFor
}

const MAX_BYTES = 100_000
const MAX_FIELD_CHARS = 200

/** The names of fields in the responses of services. */
const FIELDS: readonly { label: string; names: readonly string[] }[] = [
  { label: 'city', names: ['city'] },
  { label: 'region', names: ['region', 'region_name', 'regionName'] },
  { label: 'country', names: ['country_name', 'country'] },
  { label: 'zone', names: ['timezone', 'time_zone'] },
]

/**
 * The location of this machine's IP address according to the service, with a line for each fact. Refuses redirects to
 * this machine or a private network, except on the service's own host. Rejects with a `WebRefusal` with advice.
 */
export async function locate({ service, signal, proxyFor }: LocateRequest): Promise<string> {
  const { host } = new URL(service)
  const page = await fetchPage({
    url: service,
    signal,
    allowedHosts: [host],
    limits: { bytes: MAX_BYTES, totalMs: 15_000 },
    ...(proxyFor && { proxyFor }),
  }).catch((error: unknown): never => {
    signal.throwIfAborted()
    if (error instanceof WebRefusal) throw error
    throw new WebRefusal(
      `The location service ${host} could not be reached: ` +
        `${errorText(error)}. ` +
        'Try again later, or ask the user where they are.',
    )
  })
  if (page.status >= 400)
    throw new WebRefusal(
      `The location service ${host} failed ` +
        `(${page.status}).${page.status === 429 ? ' It has had too many requests.' : ''} Try again later, ` +
        'or ask the user where they are.',
    )
  const answer = objectIn(page.body.toString('utf8'))
  const lines = answer && factsOf(answer)
  if (!answer || !lines || lines.length === 0)
    throw new WebRefusal(
      `The location service ${host} did not answer with a location. Tell the user to check service in [location].`,
    )
  const address = textOf(answer, ['ip', 'query'])
  const kind = address === undefined ? undefined : nonPublicKind(address)
  if (kind !== undefined)
    throw new WebRefusal(
      `The location service ${host} saw an address of ${kind}, so it cannot know where that is. ` +
        'Ask the user where they are.',
    )
  return [`Estimated from the IP address by ${host}; it can be far off.`, ...lines].join('\n')
}

type Answer = Record<string, unknown>

function objectIn(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answer) : undefined
  } catch {
    return undefined
  }
}

function factsOf(answer: Answer): string[] {
  const facts = FIELDS.flatMap(({ label, names }) => {
    const text = textOf(answer, names)
    return text === undefined ? [] : [`${label}: ${text}`]
  })
  const place = coordinatesOf(answer)
  return place === undefined ? facts : [...facts, `coordinates: ${place}`]
}

function coordinatesOf(answer: Answer): string | undefined {
  const [latitude, longitude] =
    typeof answer['loc'] === 'string'
      ? answer['loc'].split(',').map(Number)
      : [answer['latitude'] ?? answer['lat'], answer['longitude'] ?? answer['lon']]
  return isPlace(latitude, 90) && isPlace(longitude, 180) ? `${latitude}, ${longitude}` : undefined
}

function isPlace(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= most
}

/** The first of these fields that is a string, on one line without control characters. */
function textOf(answer: Answer, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = answer[name]
    if (typeof value !== 'string') continue
    const text = value
      .replaceAll(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, MAX_FIELD_CHARS)
    if (text !== '') return text
  }
  return undefined
}
