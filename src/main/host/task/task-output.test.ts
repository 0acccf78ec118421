import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ColorText } from './task-output'

const ESC = '\u001b'
const shown = (...pieces: string[]): string => {
  const text = new ColorText()
  return pieces.map((piece) => text.add(piece)).join('') + text.end()
}

test('keeps colors, and resets the last one', () => {
  expect(shown(`${ESC}[1;31mred${ESC}[38;5;8mgray\n`)).toBe(`${ESC}[1;31mred${ESC}[38;5;8mgray\n${ESC}[0m`)
  expect(shown('plain\n')).toBe('plain\n')
})

test('removes everything else that controls a terminal: titles, clipboard, links, cursor moves, hidden text, direction marks', () => {
  const evil = `a${ESC}]0;title\u0007b${ESC}]52;c;aGFja2Vk${ESC}\\c${ESC}]8;;http://evil${ESC}\\d${ESC}[2Je${ESC}[1Af\u009b2Jg${ESC}Ph\u202ei\u0008j`
  expect(shown(evil).replaceAll('\n', '')).toMatch(/^abcdefg/)
  expect(shown(evil)).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u)
  expect(shown(`${ESC}[8mhidden${ESC}[0;8mtoo`)).toBe(`${ESC}[22mhidden${ESC}[0mtoo${ESC}[0m`)
})

test('turns a lone carriage return into a new line', () => {
  expect(shown('10%\r', '100%\r\n')).toBe('10%\n100%\n')
})

test('handles a sequence that is split across pieces', () => {
  expect(shown('a', ESC, '[3', '1mred', ESC, ']0;ti', 'tle', '\u0007b')).toBe(`a${ESC}[31mredb${ESC}[0m`)
})

test('leaves only colors, for any output and any split', () => {
  const unit = fc.constantFrom(
    ESC,
    '[',
    ']',
    'm',
    '8',
    ';',
    '3',
    '1',
    'J',
    '\u0007',
    '\u009b',
    '\u009d',
    '\r',
    '\n',
    '\u202e',
    'a',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 20 })), (pieces) => {
      // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
      const rest = shown(...pieces).replaceAll(/\u001b\[[\d;:]*m/g, '')
      expect(rest).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u)
    }),
  )
})
