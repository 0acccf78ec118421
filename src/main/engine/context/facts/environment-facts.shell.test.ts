import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import { readShellVersion } from './environment-facts'

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch()
})
afterEach(() => scratch.remove())

const env = { PATH: process.env['PATH'] ?? '' }
const file = (): string => join(scratch.home, 'cache', 'shell.json')

it.skipIf(process.platform === 'win32')('names the shell, with its version if it is bash', async () => {
  expect(await readShellVersion(env, scratch.home)).toMatch(/^(?:bash \d+\.\d+(?:\.\d+)?|sh)$/)
})

it.skipIf(process.platform === 'win32')('asks a shell once, and again after its program has changed', async () => {
  const asked = await readShellVersion(env, scratch.home)
  // The test is about bash; a machine without it has no version to cache.
  expect(asked).toMatch(/^bash /)
  const kept = JSON.parse(readFileSync(file(), 'utf8')) as Record<
    string,
    { version: string; mtimeMs: number; size: number }
  >
  const [[path, entry]] = Object.entries(kept) as [[string, (typeof kept)[string]]]
  writeFileSync(file(), JSON.stringify({ [path]: { ...entry, version: '0.1' } }))
  expect(await readShellVersion(env, scratch.home)).toBe('bash 0.1')
  writeFileSync(file(), JSON.stringify({ [path]: { ...entry, version: '0.1', size: entry.size + 1 } }))
  expect(await readShellVersion(env, scratch.home)).toBe(asked)
})

it.skipIf(process.platform === 'win32')(
  'asks the shell if the cached version is invalid or cannot be read',
  async () => {
    const asked = await readShellVersion(env, scratch.home)
    for (const text of [
      '',
      '[]',
      'null',
      readFileSync(file(), 'utf8').replace(/"version":"[^"]*"/, '"version":"5; rm"'),
    ]) {
      writeFileSync(file(), text)
      expect(await readShellVersion(env, scratch.home)).toBe(asked)
    }
    chmodSync(file(), 0o000)
    expect(await readShellVersion(env, scratch.home)).toBe(asked)
  },
)
