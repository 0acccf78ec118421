import { describe, expect, it } from 'vitest'
import { describeOccurrences, explainNoMatch, findOccurrences, closestLines } from './find-text'
import { cpuMs } from '../../../../../test/support/cpu-time'

describe('findOccurrences', () => {
  it('counts overlapping occurrences, because any of them could be meant', () => {
    expect(findOccurrences('aaa', 'aa')).toEqual({ count: 2, lines: [1, 1], first: 0 })
  })

  it('names the lines where they start', () => {
    expect(findOccurrences('x\ny\nx\n\nx', 'x')).toEqual({ count: 3, lines: [1, 3, 5], first: 0 })
    expect(findOccurrences('a\nb\nc', 'b\nc')).toEqual({ count: 1, lines: [2], first: 2 })
    expect(findOccurrences('\n\n', '\n').lines).toEqual([1, 2])
    expect(findOccurrences('a', 'b')).toEqual({ count: 0, lines: [], first: -1 })
  })

  it('names a line once, no matter how often it contains the text', () => {
    expect(describeOccurrences(findOccurrences('aaaa\nb', 'a'))).toBe('4 times (line 1)')
    expect(describeOccurrences(findOccurrences('aa\na', 'a'))).toBe('3 times (lines 1, 2)')
  })

  it('limits message and time when a letter occurs a million times', () => {
    const found = findOccurrences('a\n'.repeat(1_000_000), 'a')
    expect(describeOccurrences(found)).toMatch(/^1000 times or more \(lines 1, 2, .*, 20, …\)$/)
  })
})

describe('explainNoMatch', () => {
  const text = 'function f() {\n\tif (a) {\n\t\treturn "x"\n\t}\n}\n'

  it('points at text that differs only in indentation', () => {
    expect(explainNoMatch(text, '    if (a) {\n        return "x"')).toMatch(
      /^Lines 2-3 are the closest[^]*\n- 2 {2}→if·\(a\)·\{\n\+ {4}····if·\(a\)·\{\n/,
    )
    expect(explainNoMatch(text, 'if  (a)')).toMatch(/^Line 2 /)
  })

  it('points at text that differs only in line endings', () => {
    expect(explainNoMatch('a\r\nb\n', 'a\nb')).toMatch(/^Line 1 differs only in line endings.*has carriage returns/)
    expect(explainNoMatch('a\nb\n', 'a\r\nb')).toMatch(/plain line feeds/)
  })

  it('points at typographic quotes and decomposed accents', () => {
    expect(explainNoMatch('say \u201chello\u201d\n', 'say "hello"')).toContain(
      '- 1  say \\u{201c}hello\\u{201d}\n+    say "hello"',
    )
    expect(explainNoMatch('x\ncafe\u0301\n', 'caf\u00e9')).toContain('- 2  cafe\\u{301}\n+    caf\\u{e9}')
  })

  it('notices line numbers copied from Read', () => {
    expect(explainNoMatch(text, '2\t\tif (a) {\n3\t\t\treturn "x"')).toContain('line numbers')
  })

  it('reports no match where nothing is similar', () => {
    expect(explainNoMatch(text, 'something else')).toMatch(/^Nothing in the file resembles it/)
    expect(explainNoMatch(text, '   \n')).toMatch(/^Nothing/)
    expect(explainNoMatch('', 'x')).toMatch(/^The file is empty/)
  })
})

const FILE = [
  'import a',
  '',
  'export function total(items) {',
  '\tlet sum = 0',
  '\tfor (const item of items) sum += item.price',
  '\treturn sum',
  '}',
].join('\n')

it('finds the place by the correct lines, and shows the wrong line next to the actual one', () => {
  expect(closestLines(FILE, '\tlet sum = 0\n\tfor (const item of items) sum += item.cost\n\treturn sum')).toBe(
    [
      'Lines 4-6 are the closest ("-" is the file, "+" what you gave; ' +
        'where only white space differs, → is a tab and · a space):',
      '  4  \tlet sum = 0',
      '- 5  \tfor (const item of items) sum += item.price',
      '+    \tfor (const item of items) sum += item.cost',
      '  6  \treturn sum',
    ].join('\n'),
  )
})

it('finds a line that is only similar when no line is correct', () => {
  expect(closestLines(FILE, 'export function totals(all) {')).toMatch(
    /^Line 3 is the closest[^]*\n- 3 {2}export function total\(items\) \{\n\+/,
  )
})

it('shows at most 12 lines of 200 characters, no matter how much was requested', () => {
  const text = Array.from({ length: 100 }, (_, index) => `line ${index} ${'x'.repeat(1000)}`).join('\n')
  const shown = closestLines(text, text.replace('line 0 ', 'line zero ')) ?? ''
  expect(shown.split('\n').length).toBeLessThan(16)
  expect(shown).toContain('… 88 more')
  expect(shown.length).toBeLessThan(4000)
})

it('is quick for a large file without similar text', () => {
  const text = 'some ordinary line of a text\n'.repeat(35_000)
  const startedAt = cpuMs()
  expect(closestLines(text, '0123456789\n'.repeat(50))).toBeUndefined()
  expect(cpuMs() - startedAt).toBeLessThan(5_000)
})
