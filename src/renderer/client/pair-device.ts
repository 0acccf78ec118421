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
  const answer = (await response.json().catch(() => ({}))) as { token?: unknown } & Partial<Failure>
  if (response.ok && typeof answer.token === 'string') return answer.token
  throw new CodedError(answer.code ?? 'device.code', answer.message ?? 'The device was not paired.')
}

/** What this device is called unless the user says otherwise, from what its browser tells. */
export function suggestedName(agent = navigator.userAgent): string {
  const device =
    /iPhone|iPad|Android|Macintosh|Windows|CrOS|Linux/
      .exec(agent)?.[0]
      .replace('Macintosh', 'Mac')
      .replace('CrOS', 'Chromebook') ?? 'Device'
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
