import { describe, expect, it } from 'vitest'
import { reindenter } from './fuzzy-match'

const pairs = (...lines: [written: string, actual: string][]) => lines.map(([written, actual]) => ({ written, actual }))
const fitted = (known: ReturnType<typeof pairs>, fresh: string[]): string[] | undefined => {
  const indent = reindenter(known, fresh)
  return indent && fresh.map(indent)
}

describe('reindenter', () => {
  it('turns spaces into the tabs of the file, also at depths that were not quoted', () => {
    expect(fitted(pairs(['    a', '\ta'], ['        b', '\t\tb']), ['    x', '            y', 'z'])).toEqual([
      '\tx',
      '\t\t\ty',
      'z',
    ])
    expect(fitted(pairs(['    a', '\ta']), ['        b'])).toEqual(['\t\tb'])
    expect(fitted(pairs(['a', '\ta']), ['if:', '  b'])).toEqual(['\tif:', '\t\tb'])
  })

  it('adds an indentation that was left out, and changes its step', () => {
    expect(fitted(pairs(['a', '    a'], ['  b', '      b']), ['    c'])).toEqual(['        c'])
    expect(fitted(pairs(['  a', '    a'], ['    b', '        b']), ['      c'])).toEqual(['            c'])
    expect(fitted(pairs(['\ta', '  a']), ['\t\tb'])).toEqual(['    b'])
  })

  it('leaves blank lines, and everything where nothing differs', () => {
    expect(fitted(pairs(['  a', '    a']), ['', '   ', '  b'])).toEqual(['', '   ', '    b'])
    expect(fitted(pairs(['  a', '  a ']), ['      b'])).toEqual(['      b'])
  })

  it('does not guess where the lines follow no rule', () => {
    expect(fitted(pairs(['  a', '  a'], ['  b', '    b']), ['  c'])).toBeUndefined()
    expect(fitted(pairs([' a', '\t a']), ['  c'])).toBeUndefined()
    expect(fitted(pairs(['a', '  a']), ['\tb'])).toBeUndefined()
  })
})
