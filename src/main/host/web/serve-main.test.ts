import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { webToken } from './serve-main'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trestle-token-'))
})
afterEach(() => rm(home, { recursive: true }))

test('keeps the token across restarts in a file that only its owner can read', async () => {
  const token = webToken(home)
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(webToken(home)).toBe(token)
  const file = join(home, 'web-token')
  expect(await readFile(file, 'utf8')).toBe(`${token}\n`)
  const { mode } = await stat(file)
  expect(process.platform === 'win32' ? 0o600 : mode & 0o777).toBe(0o600)
})

test('keeps a rotated token', () => {
  const before = webToken(home)
  const after = webToken(home, { renew: true })
  expect(after).not.toBe(before)
  expect(webToken(home)).toBe(after)
})

test.skipIf(process.platform === 'win32')('replaces a token that other users could have read', async () => {
  const before = webToken(home)
  await chmod(join(home, 'web-token'), 0o644)
  const after = webToken(home)
  expect(after).not.toBe(before)
  expect((await stat(join(home, 'web-token'))).mode & 0o777).toBe(0o600)
})

test('replaces a damaged file, and starts in a read-only folder', async () => {
  await writeFile(join(home, 'web-token'), 'short', { mode: 0o600 })
  expect(webToken(home)).toMatch(/^[0-9a-f]{64}$/)
  const nowhere = join(home, 'missing')
  expect(webToken(nowhere)).toMatch(/^[0-9a-f]{64}$/)
  // A rotation that is not saved would be lost at the next start.
  expect(() => webToken(nowhere, { renew: true })).toThrow(/ENOENT/)
})
