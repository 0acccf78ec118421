import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { branchWords } from './branch-name'

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

test('makes only names that git takes', () => {
  const names = fc
    .sample(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), { numRuns: 60, seed: 14 })
    .flatMap((text) => branchWords(text) ?? [])
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) {
    expect(name.isWellFormed()).toBe(true)
    expect(execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' }).trim()).toBe(name)
  }
})
