import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LINE_BREAK_MARK, PasteBuffer, KeyParser, type KeyInput } from './key-input'

function read(chunks: readonly string[]): KeyInput[] {
  const reader = new KeyParser()
  const pieces: KeyInput[] = []
  for (const chunk of chunks) {
    reader.add(chunk)
    for (let piece = reader.next(); piece; piece = reader.next()) pieces.push(piece)
  }
  return pieces
}

test('a paste that arrives in pieces stays a paste, and its line breaks are not Enter', () => {
  const typed = 'ab\x1b[200~one\rtwo\x03\x1b[201~c\r'
  fc.assert(
    fc.property(fc.array(fc.nat({ max: typed.length })), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), typed.length]
      const pieces = read(at.slice(1).map((end, index) => typed.slice(at[index], end)))
      const keys = pieces.flatMap((piece) => (piece.kind === 'keys' ? [piece.text] : [])).join('')
      expect(keys).toBe('abc')
      expect(pieces.filter(({ kind }) => kind !== 'keys')).toEqual([
        { kind: 'paste', text: 'one\rtwo\x03' },
        { kind: 'enter' },
      ])
    }),
  )
})

test('recognizes Enter, Ctrl-C and Alt-Enter among other keys', () => {
  expect(read(['a\x1b\rb\nc\x03d\r\x1b[A'])).toEqual([
    { kind: 'keys', text: 'a' },
    { kind: 'keys', text: LINE_BREAK_MARK },
    { kind: 'keys', text: 'b' },
    { kind: 'keys', text: LINE_BREAK_MARK },
    { kind: 'keys', text: 'c' },
    { kind: 'interrupt' },
    { kind: 'keys', text: 'd' },
    { kind: 'enter' },
    { kind: 'keys', text: '\x1b[A' },
  ])
})

test('shows a long paste as a placeholder and sends it unchanged', () => {
  const pastes = new PasteBuffer()
  const long = Array.from({ length: 50 }, (_, n) => `line ${n}`).join('\r\n')
  const shown = `see ${pastes.add(long)} and ${pastes.add('a\nb')}`
  expect(shown).toBe('see [pasted 50 lines #1] and a⏎b')
  expect(pastes.expand(shown)).toBe(`see ${long.replaceAll('\r\n', '\n')} and a\nb`)
  expect(pastes.expand('[pasted 3 lines #7]')).toBe('[pasted 3 lines #7]')
  expect(pastes.add('\x1b[31mred\x07')).toBe('[31mred')
})
