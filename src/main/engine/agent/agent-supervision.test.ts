import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf } from './agent-supervision'

test('reads an answer page by page without splitting or losing a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'ö', '世', '👋', '\n'), maxLength: 60 }),
      fc.integer({ min: 4, max: 20 }),
      (answer, bytes) => {
        const pages: string[] = []
        let before = Buffer.byteLength(answer)
        while (before > 0) {
          const page = pageOf(answer, { before, bytes })
          expect(page.to).toBe(before)
          expect(page.from).toBeLessThan(before)
          expect(page.total).toBe(Buffer.byteLength(answer))
          pages.unshift(page.text)
          before = page.from
        }
        expect(pages.join('')).toBe(answer)
      },
    ),
    { numRuns: 150, seed: 14 },
  )
})

test('the last page is the end of the answer, and an empty one has none', () => {
  expect(pageOf('one two', { bytes: 3 })).toEqual({ text: 'two', from: 4, to: 7, total: 7, dropped: 0 })
  expect(pageOf('one', { before: 99, bytes: 99 })).toMatchObject({ text: 'one', from: 0, to: 3 })
  expect(pageOf('', { bytes: 9 })).toEqual({ text: '', from: 0, to: 0, total: 0, dropped: 0 })
})
