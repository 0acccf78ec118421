import { fieldOf } from '../../../../shared/json-fields'

/** How long a response asks to wait after a rate limit, in ms from `now`; undefined if it doesn't say. */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  body: unknown,
  message: string,
  now: number,
): number | undefined {
  const said = headers ? fromHeaders(headers, now) : undefined
  return said ?? fromRetryInfo(body) ?? fromText(message)
}

function fromHeaders(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return Math.round(ms)
  const after = headers['retry-after']?.trim()
  if (after) {
    const wait = secondsOrDate(after, now)
    if (wait !== undefined) return wait
  }
  return fromRateLimits(headers, now)
}

function secondsOrDate(text: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/**
 * `x-ratelimit-reset*` and `anthropic-ratelimit-*-reset`. A bucket with something left doesn't matter, so if
 * `…-remaining…` is present, only empty buckets count; the longest wait applies.
 */
function fromRateLimits(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  let longest: number | undefined
  for (const [name, value] of Object.entries(headers)) {
    if (!/ratelimit/i.test(name) || !/reset/i.test(name)) continue
    const remaining = headers[name.replace('reset', 'remaining')]
    if (remaining !== undefined && Number(remaining) > 0) continue
    const wait = resetOf(value.trim(), now)
    if (wait !== undefined && (longest === undefined || wait > longest)) longest = wait
  }
  return longest
}

/** `1m30.5s`, seconds from now, seconds or ms since the epoch, or a date. */
function resetOf(value: string, now: number): number | undefined {
  const duration = durationOf(value)
  if (duration !== undefined) return duration
  if (!/^\d+(\.\d+)?$/.test(value)) return secondsOrDate(value, now)
  const number = Number(value)
  if (number > 1e12) return Math.max(0, Math.round(number - now))
  if (number > 1e9) return Math.max(0, Math.round(number * 1000 - now))
  return Math.round(number * 1000)
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `34.4s`, `6m0s`, `20ms`, `1h2m3s`. */
function durationOf(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) total += Number(amount) * UNIT_MS[unit!]!
  return Math.round(total)
}

/** Google's `error.details[]` with `@type …RetryInfo` and `retryDelay: "34.4s"`. */
function fromRetryInfo(body: unknown): number | undefined {
  const root: unknown = Array.isArray(body) ? body[0] : body
  const error = fieldOf(root, 'error') ?? root
  const details = fieldOf(error, 'details')
  if (!Array.isArray(details)) return undefined
  for (const detail of details) {
    const delay = fieldOf(detail, 'retryDelay')
    if (typeof delay === 'string') return durationOf(delay)
  }
  return undefined
}

/** `Please try again in 20s`, `retry after 1 seconds`, `try again in 6m0s`. */
function fromText(message: string): number | undefined {
  const match =
    /(?:try again|retry)\s+(?:in|after)\s+(?:about\s+)?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b\s*|\d+(?:\.\d+)?(?:ms|[smh]))+)/i.exec(
      message,
    )
  if (!match) return undefined
  let total = 0
  for (const [, amount, unit] of match[1]!.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smh])/gi)) {
    total += Number(amount) * (UNIT_MS[unit!.toLowerCase() === 'milli' ? 'ms' : unit!.toLowerCase()] ?? 0)
  }
  return Math.round(total)
}
