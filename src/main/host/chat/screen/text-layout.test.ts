import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayWidth, truncateToWidth, oneLine, safeText, WordWrap, wrapText } from './text-layout'

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', ']', '\x07', '\x9b', '2', 'J', '\r', '\n', '\u202e', 'a') }),
)

test('never puts a control character on the terminal, for any split of the text', () => {
  fc.assert(
    fc.property(fc.array(anything), (pieces) => {
      expect(pieces.map(safeText).join('')).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
      expect(oneLine(pieces.join(''))).not.toMatch(/[\n\t]/)
    }),
  )
})

test('leaves safe text unchanged', () => {
  const text = 'Zwei – 二 😀 é\u0301\n\tend'
  expect(safeText(text)).toBe(text)
  expect(safeText('a\r\nb')).toBe('a\nb')
})

test('truncates lines to the width of the terminal, and only when needed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '二', '😀', ' ') }),
      fc.integer({ min: 3, max: 30 }),
      (text, columns) => {
        const cut = truncateToWidth(text, columns)
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns)
        expect(cut === text).toBe(displayWidth(text) <= columns)
      },
    ),
  )
})

const words = fc
  .array(fc.constantFrom('a', 'word', 'longer', '二二', 'x'.repeat(15), '\n', '- item'))
  .map((all) => all.join(' '))

test('wraps streamed text like the complete text, without losing or breaking words', () => {
  fc.assert(
    fc.property(words, fc.array(fc.nat({ max: 6 }), { minLength: 1 }), (text, sizes) => {
      const wrap = new WordWrap(() => 12)
      let streamed = ''
      for (let at = 0, n = 0; at < text.length; n += 1) {
        const size = 1 + sizes[n % sizes.length]!
        streamed += wrap.add(text.slice(at, at + size))
        at += size
      }
      streamed += wrap.end()
      expect(streamed).toBe(wrapText(text, 12).join('\n'))
      expect(streamed.split(/\s+/).filter(Boolean)).toEqual(text.split(/\s+/).filter(Boolean))
      const lines = streamed.split('\n').filter((line) => !line.includes('xxx'))
      expect(Math.max(0, ...lines.map((line) => displayWidth(line.trimEnd())))).toBeLessThanOrEqual(12)
    }),
  )
})

test('adds no line breaks to lines of code', () => {
  const code = '```sh\nnpm run something -- --with many --words\n```'
  expect(wrapText(`${code}\nand prose that is longer`, 12)).toEqual([
    ...code.split('\n'),
    'and prose',
    'that is',
    'longer',
  ])
})
