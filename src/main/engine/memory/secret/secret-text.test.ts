import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HARMLESS, secretSamples } from '../../../../../test/support/secret-samples'
import { secretIn } from './secret-text'
import { cpuMs } from '../../../../../test/support/cpu-time'

const facts = readFileSync(join(import.meta.dirname, '../../../../../test/fixtures/memory/facts.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' | ') as [key: string, text: string])

it.each([7, 8, 9])(
  'recognizes more than a hundred forms of keys and passwords, whatever random text is in them (%i)',
  (seed) => {
    const samples = secretSamples(seed)
    expect(samples.length).toBeGreaterThanOrEqual(100)
    expect(samples.filter(([text, key]) => secretIn(text, key) === undefined)).toEqual([])
  },
)

it('allows more than 300 ordinary facts, and notes that only mention secrets', () => {
  const refused = [...facts.map(([key, text]) => [text, key] as const), ...HARMLESS].filter(
    ([text, key]) => secretIn(text, key) !== undefined,
  )
  expect(facts.length).toBeGreaterThan(300)
  expect(refused).toEqual([])
})

it('a hash is allowed if it is called one, and refused on its own', () => {
  const hash = '3f2a9c1d7b8e4f6a0c5d9e8b7a6f5c4d3e2b1a09'
  expect(secretIn(`The fix is in commit ${hash}.`)).toBeUndefined()
  expect(secretIn(`https://github.com/heron/shop/commit/${hash}`)).toBeUndefined()
  expect(secretIn(hash)).toBe('a random key')
  expect(secretIn(`The signing secret is ${hash}`)).toBeDefined()
})

it('names the kind of secret, and never repeats the text', () => {
  expect(secretIn('The password is hunter2')).toBe('a password')
  expect(secretIn('hunter2', 'wifi password')).toBe('a password')
  expect(secretIn(`ghp_${'aB3'.repeat(12)}`)).toBe('a GitHub token')
  expect(secretIn('postgres://shop:hunter2@db.example/shop')).toBe('an address with a password')
})

it('is not misled by invisible characters, variant letter forms, and split literals', () => {
  expect(secretIn(`gh\u200bp_${'aB3'.repeat(12)}`)).toBe('a GitHub token')
  expect(secretIn('ｐａｓｓｗｏｒｄ: hunter2')).toBe('a password')
  expect(secretIn(`"ghp_${'aB3'.repeat(4)}" + "${'aB3'.repeat(8)}"`)).toBe('a GitHub token')
})

it('reads any long text in a few milliseconds', () => {
  const started = cpuMs()
  for (const text of [
    'password '.repeat(200),
    'a1-'.repeat(650),
    'word '.repeat(400),
    '://:'.repeat(500),
    '4 '.repeat(1000),
  ])
    secretIn(text)
  expect(cpuMs() - started).toBeLessThan(1000)
})
