import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { keepIn } from './create-mcp'

test('keeps all files that a server sends at the same time, even with the same name', async () => {
  const keep = keepIn(await tempFolder())
  const texts = Array.from({ length: 20 }, (_, at) => `text ${at}`)
  const paths = await Promise.all(texts.map((text) => keep('session', 'a.png', Buffer.from(text))))
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(texts)
  expect(readdirSync(dirname(paths[0]!))).toHaveLength(20)
  expect(paths.every((path) => path.endsWith('-a.png'))).toBe(true)
  const modeBits = process.platform === 'win32' ? 0 : 0o777
  expect(statSync(paths[0]!).mode & modeBits).toBe(0o600 & modeBits)
})
