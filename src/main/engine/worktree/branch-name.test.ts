import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { branchWords, freeBranch } from './branch-name'

test.each([
  ['Please fix the login form!', 'fix-login-form'],
  ['Überprüfe die Größe', 'uberprufe-die-große'],
  ['the', 'the'],
  ['!!! ???', undefined],
  ['one two three four five six seven eight', 'one-two-three-four-five-six'],
])('names %j %s', (text, name) => expect(branchWords(text)).toBe(name))

test('keeps names short', () => {
  expect(branchWords('x'.repeat(100))).toHaveLength(40)
  expect(branchWords(`${'a'.repeat(30)} ${'b'.repeat(30)}`)).toBe('a'.repeat(30))
})

test('makes only names that git accepts', () => {
  const names = fc
    .sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { numRuns: 60, seed: 14 })
    .flatMap((text) => branchWords(text) ?? [])
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) {
    expect(name.isWellFormed()).toBe(true)
    expect(execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' }).trim()).toBe(name)
  }
})

describe('a free name for a branch', () => {
  const free = (taken: readonly string[], prefix: string, words: string | undefined): Promise<string> =>
    freeBranch({ text: async () => taken.join('\n') }, prefix, words)

  test('is the requested one, otherwise one with the first free number, ignoring case', async () => {
    expect(await free([], 'trestle/', 'fix')).toBe('trestle/fix')
    expect(await free(['Trestle/Fix', 'trestle/fix-2'], 'trestle/', 'fix')).toBe('trestle/fix-3')
  })

  test('is not a folder that contains other branches', async () => {
    expect(await free(['fix/a', 'fix-2/b'], '', 'fix')).toBe('fix-3')
  })

  test('does not have another branch as its folder', async () => {
    expect(await free(['trestle'], 'trestle/', 'fix')).toBe('trestle-fix')
    expect(await free(['a/b', 'a-b-fix'], 'a/b/', 'fix')).toBe('a-b-fix-2')
  })

  test('is found without words, too', async () => {
    expect(await free([], 'trestle/', undefined)).toMatch(/^trestle\/session-[0-9a-f]{6}$/)
  })
})
