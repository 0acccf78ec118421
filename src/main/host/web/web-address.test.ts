import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { webToken } from './web-address'

let home = ''
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trestle-token-'))
})
afterEach(() => rm(home, { recursive: true }))

test('the token survives a restart, in a file that is readable for its owner alone', async () => {
  const token = webToken(home)
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(webToken(home)).toBe(token)
  const file = join(home, 'web-token')
  expect(await readFile(file, 'utf8')).toBe(`${token}\n`)
  const { mode } = await stat(file)
  expect(process.platform === 'win32' ? 0o600 : mode & 0o777).toBe(0o600)
})

test('a rotated token is another one, and stays', () => {
  const before = webToken(home)
  const after = webToken(home, { renew: true })
  expect(after).not.toBe(before)
  expect(webToken(home)).toBe(after)
})

test.skipIf(process.platform === 'win32')('a token that others could have read is replaced', async () => {
  const before = webToken(home)
  await chmod(join(home, 'web-token'), 0o644)
  const after = webToken(home)
  expect(after).not.toBe(before)
  expect((await stat(join(home, 'web-token'))).mode & 0o777).toBe(0o600)
})

test('a damaged file is replaced, and a folder that cannot be written to does not keep the host from starting', async () => {
  await writeFile(join(home, 'web-token'), 'short', { mode: 0o600 })
  expect(webToken(home)).toMatch(/^[0-9a-f]{64}$/)
  const nowhere = join(home, 'missing')
  expect(webToken(nowhere)).toMatch(/^[0-9a-f]{64}$/)
  // A rotation that is not kept would be undone by the next start.
  expect(() => webToken(nowhere, { renew: true })).toThrow(/ENOENT/)
})
