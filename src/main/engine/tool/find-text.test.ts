import { describe, expect, it } from 'vitest'
import { describeOccurrences, nearMiss, occurrences } from './find-text'

describe('occurrences', () => {
  it('counts overlapping places, since any of them could be meant', () => {
    expect(occurrences('aaa', 'aa')).toEqual({ count: 2, lines: [1, 1], first: 0 })
  })

  it('names the lines where they begin', () => {
    expect(occurrences('x\ny\nx\n\nx', 'x')).toEqual({ count: 3, lines: [1, 3, 5], first: 0 })
    expect(occurrences('a\nb\nc', 'b\nc')).toEqual({ count: 1, lines: [2], first: 2 })
    expect(occurrences('\n\n', '\n').lines).toEqual([1, 2])
    expect(occurrences('a', 'b')).toEqual({ count: 0, lines: [], first: -1 })
  })

  it('names a line once, however often the text is in it', () => {
    expect(describeOccurrences(occurrences('aaaa\nb', 'a'))).toBe('4 times (line 1)')
    expect(describeOccurrences(occurrences('aa\na', 'a'))).toBe('3 times (lines 1, 2)')
  })

  it('keeps message and time bounded when a letter occurs a million times', () => {
    const found = occurrences('a\n'.repeat(1_000_000), 'a')
    expect(describeOccurrences(found)).toMatch(/^1000 times or more \(lines 1, 2, .*, 20, …\)$/)
  })
})

describe('nearMiss', () => {
  const text = 'function f() {\n\tif (a) {\n\t\treturn "x"\n\t}\n}\n'

  it('points at text that differs only in indentation', () => {
    expect(nearMiss(text, '    if (a) {\n        return "x"')).toMatch(
      /^Lines 2-3 are the closest[^]*\n- 2 {2}→if·\(a\)·\{\n\+ {4}····if·\(a\)·\{\n/,
    )
    expect(nearMiss(text, 'if  (a)')).toMatch(/^Line 2 /)
  })

  it('points at text that differs only in line endings', () => {
    expect(nearMiss('a\r\nb\n', 'a\nb')).toMatch(/^Line 1 differs only in line endings.*has carriage returns/)
    expect(nearMiss('a\nb\n', 'a\r\nb')).toMatch(/plain line feeds/)
  })

  it('points at typographic quotes and decomposed accents', () => {
    expect(nearMiss('say \u201chello\u201d\n', 'say "hello"')).toContain('- 1  say \\u{201c}hello\\u{201d}\n+    say "hello"')
    expect(nearMiss('x\ncafe\u0301\n', 'caf\u00e9')).toContain('- 2  cafe\\u{301}\n+    caf\\u{e9}')
  })

  it('notices line numbers copied from Read', () => {
    expect(nearMiss(text, '2\t\tif (a) {\n3\t\t\treturn "x"')).toContain('line numbers')
  })

  it('invents nothing', () => {
    expect(nearMiss(text, 'something else')).toMatch(/^Nothing in the file is like it/)
    expect(nearMiss(text, '   \n')).toMatch(/^Nothing/)
    expect(nearMiss('', 'x')).toMatch(/^Nothing/)
  })
})
