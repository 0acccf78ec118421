import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { ComparedLines, reindenter } from './fuzzy-match'

const pairs = (...lines: [written: string, actual: string][]) => lines.map(([written, actual]) => ({ written, actual }))
const fitted = (known: ReturnType<typeof pairs>, fresh: string[]): string[] | undefined => {
  const indent = reindenter(known, fresh)
  return indent && fresh.map(indent)
}

describe('ComparedLines', () => {
  it('finds lines anywhere, including overlapping matches', () => {
    const line = fc.constantFrom('a', 'b')
    fc.assert(
      fc.property(fc.array(line), fc.array(line, { maxLength: 4 }), fc.nat(4), (lines, wanted, from) => {
        const starts = lines.map((_, at) => at).filter((at) => at >= from && at + wanted.length <= lines.length)
        const places = starts.filter((at) => wanted.every((each, index) => lines[at + index] === each))
        expect(new ComparedLines(lines).find(wanted, 'exact', from)).toEqual(wanted.length === 0 ? [] : places)
      }),
      { numRuns: 2_000 },
    )
  })

  it('does not compare each of many equal lines with all wanted lines', () => {
    const blank = (count: number): string[] => Array.from({ length: count }, () => '')
    // Compared one by one, these would take 10^11 comparisons.
    expect(new ComparedLines(blank(1_000_000)).find([...blank(100_000), 'x'], 'exact')).toEqual([])
  })
})

describe('reindenter', () => {
  it('turns spaces into the tabs of the file, even at depths that were not quoted', () => {
    expect(fitted(pairs(['    a', '\ta'], ['        b', '\t\tb']), ['    x', '            y', 'z'])).toEqual([
      '\tx',
      '\t\t\ty',
      'z',
    ])
    expect(fitted(pairs(['    a', '\ta']), ['        b'])).toEqual(['\t\tb'])
    expect(fitted(pairs(['a', '\ta']), ['if:', '  b'])).toEqual(['\tif:', '\t\tb'])
  })

  it('adds a missing indentation, and changes the indentation step', () => {
    expect(fitted(pairs(['a', '    a'], ['  b', '      b']), ['    c'])).toEqual(['        c'])
    expect(fitted(pairs(['  a', '    a'], ['    b', '        b']), ['      c'])).toEqual(['            c'])
    expect(fitted(pairs(['\ta', '  a']), ['\t\tb'])).toEqual(['    b'])
  })

  it('keeps blank lines, and everything if nothing differs', () => {
    expect(fitted(pairs(['  a', '    a']), ['', '   ', '  b'])).toEqual(['', '   ', '    b'])
    expect(fitted(pairs(['  a', '  a ']), ['      b'])).toEqual(['      b'])
  })

  it('does not guess when the lines follow no rule', () => {
    expect(fitted(pairs(['  a', '  a'], ['  b', '    b']), ['  c'])).toBeUndefined()
    expect(fitted(pairs([' a', '\t a']), ['  c'])).toBeUndefined()
    expect(fitted(pairs(['a', '  a']), ['\tb'])).toBeUndefined()
  })
})
