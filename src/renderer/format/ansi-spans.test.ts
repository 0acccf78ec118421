import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ansiSpans, withoutAnsi } from './ansi-spans'
import { diffLines } from './diff-lines'

const fileOf = (lines: string[]): string => lines.map((line) => `${line}\n`).join('')
const isControl = (character: string): boolean =>
  (character < ' ' && character !== '\n' && character !== '\t') || character === '\u007f'

describe('diffLines', () => {
  it('numbers the lines of both sides as in the files', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c', '', '+x', '-y'), { maxLength: 30 }),
        fc.array(fc.constantFrom('a', 'b', 'd', '', '+x', '-y'), { maxLength: 30 }),
        (before, after) => {
          const lines = diffLines(createTwoFilesPatch('a', 'b', fileOf(before), fileOf(after), '', '', { context: 3 }))
          const old = lines.filter((line) => line.kind === 'same' || line.kind === 'del')
          const fresh = lines.filter((line) => line.kind === 'same' || line.kind === 'add')
          expect(old.map((line) => line.text)).toEqual(old.map((line) => before[line.old - 1]))
          expect(fresh.map((line) => line.text)).toEqual(fresh.map((line) => after[line.new - 1]))
          expect(
            lines.filter((line) => line.kind === 'add').length - lines.filter((line) => line.kind === 'del').length,
          ).toBe(after.length - before.length)
        },
      ),
    )
  })

  it('shows gaps between hunks and a missing newline at the end', () => {
    const before = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n')
    const after = before.replace('line 10', 'LINE 10').replace('line 30', 'LINE 30')
    const lines = diffLines(createTwoFilesPatch('a', 'b', before, after, '', '', { context: 3 }))
    expect(lines.filter((line) => line.kind === 'gap').map((line) => line.hidden)).toEqual([13])
    expect(diffLines('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n').map((line) => line.kind)).toEqual([
      'del',
      'note',
      'add',
    ])
  })
})

describe('ansiSpans', () => {
  it('keeps colors and drops every other escape sequence', () => {
    expect(
      ansiSpans(
        '\u001b[1;31mred\u001b[0m plain ' +
          '\u001b[38;5;196mx\u001b[39m\u001b[48;2;1;2;3my\u001b[m\u001b[2K\u001b]0;title\u0007\u001b(B!',
      ),
    ).toEqual([
      { text: 'red', bold: true, color: 'red' },
      { text: ' plain ' },
      { text: 'x', color: '#ff0000' },
      { text: 'y', background: '#010203' },
      { text: '!' },
    ])
  })

  it('shows only the final state of a redrawn line, such as a progress bar', () => {
    expect(withoutAnsi('10%\r50%\r100%\r\nnext\r\n')).toBe('100%\nnext\n')
  })

  it('never loses printable text or shows control characters, whatever the input', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('a', '\n', '\u001b', '[', '3', '1', 'm', ';', ']', '\u0007', '\\', '\u0000', '\u009b', '€'),
          {
            maxLength: 30,
          },
        ),
        (parts) => {
          expect(Array.from(withoutAnsi(parts.join(''))).filter(isControl)).toEqual([])
        },
      ),
    )
    expect(withoutAnsi('no codes here €')).toBe('no codes here €')
  })
})
