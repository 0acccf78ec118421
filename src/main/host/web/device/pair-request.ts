import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import { PAIR_PATH } from '../../../../shared/contract/page-host'
import { CodedError, failureOf } from '../../../../shared/errors'
import type { LogBug } from '../../../api/implementer'
import type { PairedDevices } from '../../../engine/pairing/paired-devices'

const pairing = z.strictObject({ code: z.string().max(40), name: z.string().max(500) })
const MAX_BODY_BYTES = 2048

/** Maximum wrong codes per minute: from one network address, and from all. */
export const PAIR_ATTEMPTS = { windowMs: 60_000, address: 5, all: 60 } as const

/**
 * Pairs a device: answers a POST with the code and a name with the token. Both are in bodies, so they appear in no URL
 * and no log. After too many wrong codes, further ones are not checked for a minute.
 */
export function createPairRequests({
  devices,
  logBug,
  now = Date.now,
}: {
  devices: PairedDevices
  logBug: LogBug
  now?: () => number
}): (request: IncomingMessage, response: ServerResponse) => boolean {
  const attempts = new Attempts(now)
  const pair = async (request: IncomingMessage): Promise<unknown> => {
    const from = request.socket.remoteAddress ?? ''
    if (attempts.areTooMany(from))
      throw new CodedError('device.too_many', 'Too many wrong codes were tried in the last minute.')
    // Counted before the code is checked, so that concurrent attempts count too.
    const forget = attempts.count(from)
    const parsed = pairing.safeParse(await readJson(request))
    if (!parsed.success) throw new CodedError('request.invalid', 'A code and a name are required.')
    const { token, device } = devices.redeem(parsed.data.code, parsed.data.name)
    forget()
    return { token, name: device.name, access: device.access }
  }
  return (request, response) => {
    if (request.url !== PAIR_PATH || request.headers['content-type'] !== 'application/json') return false
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        connection: 'close',
      })
      response.end(JSON.stringify(body))
    }
    pair(request).then(
      (paired) => send(200, paired),
      (error: unknown) => {
        const failure = failureOf(error)
        if (failure.code === 'internal') logBug('pairing failed', error)
        send(failure.code === 'device.too_many' ? 429 : failure.code === 'device.code' ? 403 : 400, failure)
      },
    )
    return true
  }
}

/** When wrong codes were tried, by network address. */
class Attempts {
  readonly #now: () => number
  #made: { from: string; at: number }[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  areTooMany(from: string): boolean {
    const since = this.#now() - PAIR_ATTEMPTS.windowMs
    this.#made = this.#made.filter(({ at }) => at > since)
    const own = this.#made.filter((attempt) => attempt.from === from).length
    return own >= PAIR_ATTEMPTS.address || this.#made.length >= PAIR_ATTEMPTS.all
  }

  /** Counts an attempt; returns a function that removes it again. */
  count(from: string): () => void {
    const attempt = { from, at: this.#now() }
    this.#made.push(attempt)
    return () => (this.#made = this.#made.filter((one) => one !== attempt))
  }
}

/** The body as JSON; undefined if it is not JSON, or too long. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) return undefined
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
