import { describe, expect, it } from 'vitest'
import { literalPattern } from './literal-pattern'

const found = (pattern: string, text: string, ignoreCase = false): (readonly [number, number])[] | undefined =>
  literalPattern(pattern, ignoreCase)
    ?.matchesIn(Buffer.from(text))
    ?.map(({ at, end }) => [at, end] as const)

describe('a pattern of literal text', () => {
  it('finds one match after the other, by bytes', () => {
    expect(found('kk', 'kkkkk')).toEqual([
      [0, 2],
      [2, 4],
    ])
    expect(found('é', 'née')).toEqual([[1, 3]])
    expect(found(String.raw`f\(x\)`, 'f(x)')).toEqual([[0, 4]])
  })

  it('uses the first of several alternatives that match at the same position', () => {
    expect(found('foo|foobar', 'foobar')).toEqual([[0, 3]])
    expect(found('foobar|foo', 'a foo, a foobar')).toEqual([
      [2, 5],
      [9, 15],
    ])
  })

  it('matches whole words', () => {
    expect(found(String.raw`\bfoo\b`, 'foobar foo _foo foo')).toEqual([
      [7, 10],
      [16, 19],
    ])
    expect(found(String.raw`\b-a`, '-a x-a')).toEqual([[4, 6]])
  })

  it('ignores the case of ASCII letters', () => {
    expect(found('Foo', 'FOO foo', true)).toHaveLength(2)
    expect(found('FOO', 'foo')).toEqual([])
  })

  it('stops at the maximum number of matches', () => {
    expect(literalPattern('a', false)!.matchesIn(Buffer.from('aaaa'), 3)).toHaveLength(3)
  })

  it('leaves patterns that are invalid, or more than literal text, to ripgrep', () => {
    const more = ['a.', 'a*', 'a+', 'a?', '(a)', '[a]', 'a{2}', '{', '^a', 'a$', 'a|', '|', '', String.raw`\d`]
    const invalid = [String.raw`a\bb`, String.raw`\<a`, String.raw`\x41`, 'a\\', String.raw`\b`, 'a\nb', '\ud800']
    const unsure = [String.raw`\bé`]
    expect([...more, ...invalid, ...unsure].filter((pattern) => literalPattern(pattern, false))).toEqual([])
    expect(literalPattern('É', true)).toBeUndefined()
  })

  it('leaves matches that depend on Unicode to ripgrep', () => {
    expect(found(String.raw`\bfoo\b`, 'éfoo')).toBeUndefined()
    expect(found('k', '\u212a', true)).toBeUndefined()
    expect(found('s', 'ſ', true)).toBeUndefined()
  })

  it('leaves slow searches to ripgrep', () => {
    expect(found(String.raw`\ba\b`, 'a'.repeat(100_000))).toBeUndefined()
    // Compares half of the pattern at every position of a text that repeats one letter.
    expect(literalPattern(`${'a'.repeat(100)}b${'a'.repeat(100)}`, false)).toBeUndefined()
  })
})
