import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { displayWidth } from './display-width'
import { oneLine, safeText, shortLine, table } from './output'

describe('text on a terminal', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['a\u0007b\u0000', 'a␇b␀'],
    ['over\rwritten', 'overwritten'],
    ['a\u202eb\u2066c\ufeffd\u200be', 'abcde'],
    ['\u009b31m', '�31m'],
    ['a\u2028b', 'a\nb'],
    ['tab\tand\nline', 'tab\tand\nline'],
    ['Größe 世界 👨‍👩‍👧 e\u0301', 'Größe 世界 👨‍👩‍👧 e\u0301'],
    ['\ud83d', '�'],
    ['tags\u{e0041}', 'tags'],
  ])('%j is shown as %j', (text, shown) => expect(safeText(text)).toBe(shown))

  test('never controls it, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const shown = safeText(text)
        expect(shown).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
        expect(shown.isWellFormed()).toBe(true)
        expect(safeText(shown)).toBe(shown)
      }),
      { numRuns: 200, seed: 14 },
    )
  })

  test('is put on one line, and cut without splitting a character', () => {
    expect(oneLine(' a\n\tb\u001b ')).toBe('a b␛')
    expect(shortLine('  a   b ', 9)).toBe('a b')
    expect(shortLine('abcdef', 6)).toBe('abcdef')
    expect(shortLine('abcdefg', 6)).toBe('abcde…')
    expect(shortLine('abcd👋👋', 6)).toBe('abcd…')
  })
})

test('a table has columns as wide as their content, and no trailing spaces', () => {
  expect(
    table(
      ['NAME', 'WHAT'],
      [
        ['a', 'one\ntwo'],
        ['longer name', ''],
      ],
    ),
  ).toBe('NAME         WHAT\na            one two\nlonger name\n')
})

test('the columns of a table are aligned after wide letters, emoji and combining marks', () => {
  const rows = [
    ['世界', 'x'],
    ['✅ done', 'x'],
    ['e\u0301te\u0301', 'x'],
    ['plain', 'x'],
  ]
  const lines = table(['NAME', 'X'], rows).trimEnd().split('\n')
  expect(lines.map((line) => displayWidth(line))).toEqual([10, 10, 10, 10, 10])
})

test('a line is cut at its width, not at its number of characters', () => {
  expect(shortLine('世界世界', 6)).toBe('世界…')
  expect(shortLine('e\u0301'.repeat(6), 6)).toBe('e\u0301'.repeat(6))
})
