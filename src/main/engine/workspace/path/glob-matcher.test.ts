import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { globMatcher, type GlobSyntax } from './glob-matcher'
import { cpuMs } from '../../../../../test/support/cpu-time'

const matches = (pattern: string, text: string, syntax?: GlobSyntax): boolean =>
  globMatcher(pattern, syntax).matches(text)

describe('matching', () => {
  it.each([
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', false],
    ['**/secret.txt', 'secret.txt', true],
    ['**/secret.txt', 'a/b/secret.txt', true],
    ['**/secret.txt', 'a/notsecret.txt', false],
    ['a**/b', 'a/b', true],
    ['a**b', 'axx/yb', true],
    ['?', '𝄞', true],
    ['?', '/', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[!a]', '/', false],
    ['[[:digit:]]', '7', true],
    ['[]]', ']', true],
    ['[', '[', true],
    ['[ab', '[ab', true],
    ['{a,b}.ts', 'b.ts', true],
    ['{a,{b,c}d}.ts', 'cd.ts', true],
    ['{a,}x', 'x', true],
    ['{a}', '{a}', true],
    ['{1..3}', '2', true],
    ['{a,b', '{a,b', true],
    ['*', '.hidden', true],
    ['*', 'a\nb', true],
    ['', '', true],
    ['a.c', 'abc', false],
    ['*.ts', 'a.tsx', false],
  ])('%j and %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  it('ignores case if requested, also in sets', () => {
    expect(matches('SRC/[A-C]*', 'src/beta', { anyCase: true })).toBe(true)
    expect(matches('*.KEY', 'x.\u212aey', { anyCase: true })).toBe(true)
    expect(matches('src', 'SRC')).toBe(false)
  })

  it('treats `**` as crossing folders only if it is a whole part, if requested', () => {
    expect(matches('a**', 'a/b', { wholeParts: true })).toBe(false)
    expect(matches('a/**', 'a/b/c', { wholeParts: true })).toBe(true)
    expect(matches('{**/a,b}', 'x/y/a', { wholeParts: true })).toBe(true)
  })

  it('treats everything but `*` literally in word patterns', () => {
    expect(matches('a?[b]{c,d}*', 'a?[b]{c,d}/x', { starOnly: true })).toBe(true)
    expect(matches('a?', 'ab', { starOnly: true })).toBe(false)
  })

  it('knows which folders can hold a match', () => {
    const { mayMatchBelow } = globMatcher('src/*/test/**', { wholeParts: true })
    expect(['src', 'src/a', 'src/a/test', 'src/a/test/b/c'].every(mayMatchBelow)).toBe(true)
    expect(['lib', 'src/a/other', 'srcs'].some(mayMatchBelow)).toBe(false)
  })
})

describe('time', () => {
  it.each([
    ['*?'.repeat(60), 'a'.repeat(4000)],
    ['*a'.repeat(100), 'a'.repeat(4000)],
    ['**/'.repeat(80) + 'x', 'a/'.repeat(2000)],
    ['{a,b}*'.repeat(60), 'ab'.repeat(2000)],
    ['{'.repeat(5000), '{'.repeat(5000)],
    ['['.repeat(5000), '['.repeat(4000)],
    ['{a,'.repeat(2000) + '}'.repeat(2000), 'a'.repeat(2000)],
  ])('stays far from exponential for %.20s…', (pattern, text) => {
    const started = cpuMs()
    globMatcher(`${pattern}z`).matches(`${text}y`)
    globMatcher(`${pattern}z`).matches(`${text}z`)
    expect(cpuMs() - started).toBeLessThan(1500)
  })

  it('does not explode with many consecutive ranges', () => {
    const { matches } = globMatcher('{1..1000}'.repeat(100), { escapes: true })
    expect(matches('1'.repeat(100))).toBe(false)
    expect(matches('17'.repeat(3) + '{1..1000}'.repeat(94))).toBe(true)
    expect(globMatcher('x{1..1000}{1..1000}{a..z}').matches('x7799c')).toBe(true)
  })

  it('never throws, for any pattern', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('ab*?[]{},!-^\\/.')) }),
        fc.string({ unit: fc.constantFrom('a', 'b', '/', '.') }),
        (glob, text) => {
          for (const syntax of [{}, { escapes: true, wholeParts: true }, { anyCase: true }, { starOnly: true }]) {
            expect(typeof matches(glob, text, syntax)).toBe('boolean')
            globMatcher(glob, syntax).mayMatchBelow(text)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
