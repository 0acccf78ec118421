import { expect, test } from 'vitest'
import { LastLine } from './last-line'

function lineOf(...pieces: string[]): ReturnType<LastLine['read']> {
  const line = new LastLine()
  for (const piece of pieces) line.append(Buffer.from(piece))
  return line.read()
}

test.each([
  ['nothing', [''], { text: '', isOpen: false }],
  ['an ended line', ['one\ntwo\n'], { text: 'two', isOpen: false }],
  ['an open line', ['one\nName: '], { text: 'Name:', isOpen: true }],
  ['blank lines after it', ['one\n\n   \n'], { text: 'one', isOpen: false }],
  ['colours, a title and a redraw', ['\x1b]0;t\x07 10%\r\x1b[K\x1b[31mPassword\x1b[0m: '], { text: 'Password:', isOpen: true }],
  ['pieces that cut a character', ['Stra\u00dfe? '], { text: 'Straße?', isOpen: true }],
])('of %s', (_name, pieces, expected) => {
  expect(lineOf(...pieces)).toEqual(expected)
  expect(lineOf(...pieces.join('').split(/(?:)/u))).toEqual(expected)
})

test('of a flood is the end, however it comes, at most 200 characters', () => {
  expect(lineOf('x'.repeat(100_000), `${'y'.repeat(3_000)}\n`, `${'é'.repeat(9_999)}end?`).text).toMatch(/^…é{195}end\?$/)
  expect(lineOf(...Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`)).text).toBe('line 4999')
})
