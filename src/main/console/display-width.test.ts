import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clustersOf } from '../../shared/cut-text'
import { displayWidth, lastColumns, padToWidth, truncateToWidth } from './display-width'
import { table } from './output'

test.each([
  ['letters', 'abc é', 5],
  ['Chinese', '世界', 4],
  ['an emoji', '😀', 2],
  ['a family', '👨‍👩‍👧‍👦', 2],
  ['a skin tone', '👍🏽', 2],
  ['a skin tone that stands alone', '🏽', 2],
  ['a flag', '🇩🇪🇫🇷', 4],
  ['the letter of a flag', '🇩', 1],
  ['a sign shown as an emoji', '❤️', 2],
  ['the same sign as text', '❤', 1],
  ['a keycap', '1️⃣', 2],
  ['letters with marks', 'e\u0301a\u0301', 2],
  ['a joiner between letters', 'क्\u200dष', 2],
  ['styled text', '\u001b[1m👨‍👩‍👧\u001b[22m!', 3],
])('%s', (_what, text, columns) => {
  expect(displayWidth(text)).toBe(columns)
})

test('truncated text fits, and no emoji is split', () => {
  const unit = fc.constantFrom('a', '二', '😀', '👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', '❤️', 'e\u0301')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (units, columns) => {
      const text = units.join('')
      const whole = [...clustersOf(text)]
      const start = truncateToWidth(text, columns)
      expect(displayWidth(start)).toBeLessThanOrEqual(columns)
      const kept = [...clustersOf(start.replace(/…$/, ''))]
      expect(kept).toEqual(whole.slice(0, kept.length))
      const end = lastColumns(text, columns)
      expect(displayWidth(end)).toBeLessThanOrEqual(columns)
      const last = [...clustersOf(end)]
      expect(last).toEqual(whole.slice(whole.length - last.length))
    }),
  )
})

test('columns of a table line up beside emoji', () => {
  const lines = table(
    ['NAME', 'STATE'],
    [
      ['👨‍👩‍👧‍👦 family', 'open'],
      ['🇩🇪 flag', 'closed'],
      ['plain', 'open'],
    ],
  ).split('\n')
  const starts = lines.slice(0, 4).map((line) => displayWidth(line.slice(0, line.search(/STATE|open|closed/))))
  expect(new Set(starts)).toEqual(new Set([11]))
  expect(displayWidth(padToWidth('👍🏽', 5))).toBe(5)
})
