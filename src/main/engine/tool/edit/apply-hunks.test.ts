import { structuredPatch } from 'diff'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyHunks } from './apply-hunks'
import { parsePatch } from './parse-patch'

/** Applies hunks written the way a model writes them. */
function applied(text: string, ...hunks: string[]): { text: string; loose: number } {
  const [operation] = parsePatch(['*** Begin Patch', '*** Update File: a', ...hunks, '*** End Patch'].join('\n'))
  return applyHunks(text, operation?.kind === 'update' ? operation.hunks : [], 'a')
}

/** The hunks of a patch from one text to another, with enough context to make each place unambiguous. */
function hunksBetween(before: string, after: string): string[] {
  const { hunks } = structuredPatch('', '', before, after, undefined, undefined, { context: 1000 })
  return hunks.flatMap(({ lines }) => ['@@', ...lines.filter((line) => !line.startsWith('\\'))])
}

describe('applyHunks', () => {
  it('produces the new text for any text and any edit of it', () => {
    const line = fc.constantFrom('', 'a', 'b', '  c', '\td', '*** End Patch', '@@ x', '+y', '-z', 'é “q”', '\u{1f600}')
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((each) => `${each}\n`).join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after)
        expect(applied(before, ...hunksBetween(before, after)).text).toBe(after)
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps a missing line feed at the end, for any edit above it', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 })
      .map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, (before) => {
        const changed = `new\n${before}`
        expect(applied(before, ...hunksBetween(`${before}\n`, `${changed}\n`)).text).toBe(changed)
      }),
    )
  })

  it('finds each of several hunks, in any order', () => {
    const text = 'a\nb\nc\nd\ne\n'
    expect(applied(text, '-b', '+B', '@@', '-d', '+D').text).toBe('a\nB\nc\nD\ne\n')
    expect(applied(text, '-d', '+D', '@@', '-b', '+B').text).toBe('a\nB\nc\nD\ne\n')
  })

  it('uses the lines that @@ names when the lines alone match several places', () => {
    const text = 'class A:\n  def f():\n    pass\nclass B:\n  def f():\n    pass\n'
    expect(applied(text, '@@ class B', '-    pass', '+    return 1').text).toBe(text.replace(/pass\n$/, 'return 1\n'))
    expect(applied(text, '@@ class A:', '@@   def f():', '-    pass', '+    return 1').text).toBe(
      text.replace('pass', 'return 1'),
    )
    expect(() => applied(text, '-    pass', '+    return 1')).toThrow(
      /matches 2 places in a \(lines 3, 6\).*Nothing was written/,
    )
  })

  it('ignores a missing anchor when the lines occur once', () => {
    expect(applied('a\nb\n', '@@ def nowhere', '-b', '+c').text).toBe('a\nc\n')
  })

  it('adds lines without context after the anchor, or at the end', () => {
    expect(applied('a\nb\n', '@@ a', '+x').text).toBe('a\nx\nb\n')
    expect(applied('a\nb\n', '+x').text).toBe('a\nb\nx\n')
    expect(applied('', '+x').text).toBe('x\n')
    expect(() => applied('a\n', '@@ nowhere', '+x')).toThrow(/was not found/)
  })

  it('matches the end of the file when the hunk requires it', () => {
    expect(applied('x\ny\nx\n', ' x', '+z', '*** End of File').text).toBe('x\ny\nx\nz\n')
  })

  it("keeps the file's lines where they match only loosely, and indents new ones to match", () => {
    const text = 'f() {\n\tif (a)   \n\t\tsay(“hi”)\n}\n'
    expect(applied(text, '     if (a)', '-        say("hi")', '+        say("hello")')).toEqual({
      text: 'f() {\n\tif (a)   \n\t\tsay("hello")\n}\n',
      loose: 1,
    })
    expect(applied(text, ' \tif (a)', '+\t\t// yes').loose).toBe(0)
  })

  it('does not change the same line twice', () => {
    expect(() => applied('a\nb\nc\n', '-a', '-b', '+x', '@@', ' b', '-c')).toThrow(
      /changes the same lines as another one/,
    )
  })

  it('shows the closest lines when it finds no match', () => {
    expect(() => applied('one\n\ttwo words\n', ' one', '-\ttwo worlds', '+x')).toThrow(
      /The hunk for a was not found in it\. Nothing was written\. Lines 1-2 are the closest[^]*- 2 {2}\ttwo words\n\+ {4}\ttwo worlds/,
    )
    expect(() => applied('one\n', '-something else')).toThrow(
      /It looks for "something else"; nothing in the file resembles it/,
    )
  })
})
