import { PAIR_PATH } from '../../shared/contract/page-host'
import { CodedError, type Failure } from '../../shared/errors'

/** Pairs this browser with a code and returns its token. Rejects with a `CodedError` that says what is wrong. */
export async function pairDevice(code: string, name: string): Promise<string> {
  const response = await fetch(PAIR_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name }),
    credentials: 'omit',
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw new CodedError('connection.lost', 'Trestle could not be reached.', { cause: error })
  })
  const body: unknown = await response.json().catch(() => undefined)
  const answer = (body ?? {}) as { token?: unknown } & Partial<Failure>
  if (response.ok && typeof answer.token === 'string') return answer.token
  throw new CodedError(answer.code ?? 'device.code', answer.message ?? 'The device was not paired.')
}

/** Names found in user agents, the most specific first: Android also claims to be Linux. */
const DEVICES = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Macintosh: 'Mac',
  Windows: 'Windows',
  CrOS: 'Chromebook',
  Linux: 'Linux',
}

/** The suggested name of this device, based on its user agent. */
export function suggestedName(agent = navigator.userAgent): string {
  const [, device = 'Device'] = Object.entries(DEVICES).find(([name]) => agent.includes(name)) ?? []
  const browser = /(?:Firefox|FxiOS)/.test(agent)
    ? 'Firefox'
    : /Edg/.test(agent)
      ? 'Edge'
      : /(?:Chrome|CriOS)/.test(agent)
        ? 'Chrome'
        : /Safari/.test(agent)
          ? 'Safari'
          : undefined
  return browser === undefined ? device : `${device}, ${browser}`
}
