import { describe, expect, it } from 'vitest'
import { changedWords, diffLines } from './diff-lines'

/** The changed words of each line of a hunk. */
function marked(...hunk: string[]): string[][] {
  const lines = diffLines(`@@ -1,9 +1,9 @@\n${hunk.join('\n')}\n`)
  const marks = changedWords(lines)
  return lines.map((line, n) => (marks.get(n) ?? []).map(({ from, to }) => line.text.slice(from, to)))
}

describe('changed words of a diff', () => {
  it('are marked on both sides, and nothing else is', () => {
    expect(marked('-const total = price * 2', '+const total = cost * 3')).toEqual([
      ['price', '2'],
      ['cost', '3'],
    ])
    expect(marked('-wait(300)', '+await wait(300)')).toEqual([[], ['await ']])
  })

  it('are found by comparing each line with the one that replaces it', () => {
    expect(
      marked('-let a = one', '-let b = two', '+let a = uno', '+let b = dos', ' same', '-gone', '+let c = three'),
    ).toEqual([['one'], ['two'], ['uno'], ['dos'], [], [], []])
    expect(marked('-return value', '+return values', '+and more')).toEqual([['value'], ['values'], []])
  })

  it('are not marked if the lines have little in common, and long lines are fast', () => {
    expect(marked('-import fs from "node:fs"', '+export class Session {}')).toEqual([[], []])
    const long = 'a b '.repeat(1000)
    expect(marked(`-${long}x ${long}`, `+${long}y ${long}`)).toEqual([['x'], ['y']])
  })
})

describe('lines of a diff', () => {
  const texts = (...hunk: string[]): string[] =>
    diffLines(`--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n${hunk.join('\n')}\n`).map(({ text }) => text)

  it('have invisible characters written out', () => {
    expect(texts(' a\u202eb', '-c\u200bd', '+e\u2066f')).toEqual(['a\\u{202e}b', 'c\\u{200b}d', 'e\\u{2066}f'])
  })

  it('show carriage returns only where lines end differently', () => {
    expect(texts(' one\r', '-two\r', '+TWO\r')).toEqual(['one', 'two', 'TWO'])
    expect(texts('-one', '+one\r')).toEqual(['one', 'one\\u{d}'])
    expect(texts(' one\r', '-two\r', '+two', '\\ No newline at end of file')).toEqual([
      'one',
      'two',
      'two',
      'No newline at end of file',
    ])
  })
})
