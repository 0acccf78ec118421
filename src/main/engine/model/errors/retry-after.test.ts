import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from './retry-after'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const fromHeaders = (headers: Record<string, string>) => parseRetryAfter(headers, undefined, '', NOW)
const fromText = (text: string) => parseRetryAfter(undefined, undefined, text, NOW)

describe('how long to wait', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1234', 'retry-after': '2' }, 1234],
    [{ 'retry-after': 'soon' }, undefined],
    [
      {
        'x-ratelimit-reset-requests': '1s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '6m0s',
        'x-ratelimit-remaining-tokens': '12',
      },
      1000,
    ],
    [{ 'x-ratelimit-reset-tokens': '1m30.5s' }, 90_500],
    [{ 'x-ratelimit-reset': String(NOW + 5000) }, 5000],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 9) }, 9000],
    [
      { 'anthropic-ratelimit-requests-reset': '2026-11-20T12:00:08Z', 'anthropic-ratelimit-requests-remaining': '0' },
      8000,
    ],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])('headers %j mean %s ms', (headers, ms) => {
    expect(fromHeaders(headers)).toBe(ms)
  })

  it.each([
    ['Rate limit reached. Please try again in 20s. Visit the site.', 20_000],
    ['Please try again in 1m12.5s.', 72_500],
    ['try again in 250ms', 250],
    ['please try again after 1 seconds', 1000],
    ['Please retry in 34.074824224s.', 34_075],
    ['Retry after 2 minutes', 120_000],
    ['Try again later.', undefined],
    ['We try again in summary mode', undefined],
  ])('the words %j mean %s ms', (text, ms) => {
    expect(fromText(text)).toBe(ms)
  })

  it("reads Google's RetryInfo, also if the body is a list", () => {
    const error = {
      code: 429,
      details: [
        { '@type': 'x.QuotaFailure' },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' },
      ],
    }
    expect(parseRetryAfter({}, { error }, '', NOW)).toBe(34_400)
    expect(parseRetryAfter({}, [{ error }], '', NOW)).toBe(34_400)
  })
})
