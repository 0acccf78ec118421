import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clustersOf, cutText, cutTextStart, shortText } from './cut-text'

const FAMILY = '👨‍👩‍👧‍👦'
const CLUSTERS = ['a', ' ', '世', '😀', FAMILY, '🇩🇪', '👍🏽', '❤️', '1️⃣', 'e\u0301', 'क्षि', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '\r\n']

const texts = fc.array(fc.constantFrom(...CLUSTERS), { maxLength: 40 }).map((parts) => parts.join(''))

test('cut text is a prefix of the text, not too long, and consists of whole clusters', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: -1, max: 200 }), (text, max) => {
      const cut = cutText(text, max)
      const all = [...clustersOf(text)]
      const kept = [...clustersOf(cut)]
      expect(cut.length).toBeLessThanOrEqual(Math.max(0, max))
      expect(kept).toEqual(all.slice(0, kept.length))
      const next = all[kept.length]?.length ?? Number.POSITIVE_INFINITY
      expect(cut.length + next).toBeGreaterThan(max)
    }),
  )
})

test('the end of a text also consists of whole clusters', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: -1, max: 200 }), (text, max) => {
      const cut = cutTextStart(text, max)
      expect(cut.length).toBeLessThanOrEqual(Math.max(0, max))
      expect(text.endsWith(cut)).toBe(true)
      const all = [...clustersOf(text)]
      const kept = [...clustersOf(cut)]
      expect(kept).toEqual(all.slice(all.length - kept.length))
      const before = all[all.length - kept.length - 1]?.length ?? Number.POSITIVE_INFINITY
      expect(cut.length + before).toBeGreaterThan(max)
    }),
  )
})

test('consecutive flags are never split', () => {
  expect(cutTextStart('🇩🇪'.repeat(200), 10)).toBe('🇩🇪🇩🇪')
  expect(cutText('🇩🇪'.repeat(200), 10)).toBe('🇩🇪🇩🇪')
})

test.each([
  ['a flag', `${'x'.repeat(8)}🇩🇪🇫🇷`, 13, `${'x'.repeat(8)}🇩🇪`],
  ['a family', `family ${FAMILY}`, 12, 'family '],
  ['a surrogate pair', 'ab😀', 3, 'ab'],
  ['a letter with too many marks', `a${'\u0301'.repeat(500)}`, 100, `a${'\u0301'.repeat(99)}`],
  ['a first cluster that does not fit', FAMILY, 4, ''],
  ['nothing', 'abc', 3, 'abc'],
])('%s', (_what, text, max, cut) => {
  expect(cutText(text, max)).toBe(cut)
})

test('an ellipsis shows that text is missing, and counts toward the length', () => {
  expect(shortText('abcdef', 6)).toBe('abcdef')
  expect(shortText('abcdefg', 6)).toBe('abcde…')
  expect(shortText(`abcd😀 and more`, 6)).toBe('abcd…')
})
