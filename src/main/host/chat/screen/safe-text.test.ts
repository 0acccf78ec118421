import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnsOf, fit, oneLine, safeText } from './safe-text'

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', ']', '\x07', '\x9b', '2', 'J', '\r', '\n', '\u202e', 'a') }),
)

test('some text, however it is cut into pieces, would put a control character on the terminal', () => {
  fc.assert(
    fc.property(fc.array(anything), (pieces) => {
      expect(pieces.map(safeText).join('')).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
      expect(oneLine(pieces.join(''))).not.toMatch(/[\n\t]/)
    }),
  )
})

test('text that needs no care would be changed', () => {
  const text = 'Zwei – 二 😀 é\u0301\n\tend'
  expect(safeText(text)).toBe(text)
  expect(safeText('a\r\nb')).toBe('a\nb')
})

test('a line would be cut wider than the terminal, or for nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '二', '😀', ' ') }), fc.integer({ min: 3, max: 30 }), (text, columns) => {
      const cut = fit(text, columns)
      expect(columnsOf(cut)).toBeLessThanOrEqual(columns)
      expect(cut === text).toBe(columnsOf(text) <= columns)
    }),
  )
})
