import { expect, it } from 'vitest'
import type { Message } from '../../../../shared/model/turn/message'
import { exceeds, mediaLimit, mediaLoad, planTrimMedia } from './media-limit'

const result = (callId: string, chars: number, pages?: number): Message => ({
  role: 'tool',
  callId,
  name: 'ReadMediaFile',
  isError: false,
  content: [{ type: 'media', mediaType: 'image/png', data: 'A'.repeat(chars), ...(pages !== undefined && { pages }) }],
})
const results = (count: number, chars: number, pages?: number): Message[] =>
  Array.from({ length: count }, (_, n) => result(`c${n}`, chars, pages))

it('leaves out the oldest pictures if all exceed the servers’ limit, but never the newest', () => {
  const limit = { ...mediaLimit('gpt-6', 1_000_000), chars: 1000 }
  const history = [...results(12, 100), { role: 'user' as const, parts: [{ type: 'text' as const, text: 'next' }] }]
  expect(exceeds(mediaLoad(history), limit)).toBe(true)
  expect(planTrimMedia(history, limit).results).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5'])
  expect(planTrimMedia([result('one', 5000)], limit).results).toEqual([])
  expect(exceeds(mediaLoad(history.slice(2)), limit)).toBe(false)
})

it('limits pictures and pages for Claude, by its window, but not for others', () => {
  expect(exceeds(mediaLoad(results(96, 1)), mediaLimit('claude-sonnet-4-5', 200_000))).toBe(true)
  expect(exceeds(mediaLoad(results(2, 1, 60)), mediaLimit('claude-sonnet-4-5', 200_000))).toBe(true)
  expect(exceeds(mediaLoad(results(2, 1, 50)), mediaLimit('claude-sonnet-4-5', 200_000))).toBe(false)
  expect(exceeds(mediaLoad(results(96, 1)), mediaLimit('claude-sonnet-5-5', 1_000_000))).toBe(false)
  expect(exceeds(mediaLoad(results(700, 1, 2)), mediaLimit('gemini-3.1-pro', 1_000_000))).toBe(false)
})
