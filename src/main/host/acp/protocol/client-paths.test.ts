import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { clientPaths } from './client-paths'

let root: string
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-paths-')))))
afterEach(() => rmSync(root, { recursive: true }))

it('shows paths below the symlink that the client has opened', async () => {
  mkdirSync(join(root, 'real/src'), { recursive: true })
  symlinkSync(join(root, 'real'), join(root, 'link'))
  const paths = await clientPaths([join(root, 'link')])
  expect(paths.shown(join(root, 'real/src/a.ts'))).toBe(join(root, 'link/src/a.ts'))
  expect(paths.shown(join(root, 'real'))).toBe(join(root, 'link'))
  expect(paths.absolute('src/a.ts')).toBe(join(root, 'real/src/a.ts'))
})

it("leaves paths of other folders unchanged, even if the folder's name starts the same", async () => {
  mkdirSync(join(root, 'app'))
  mkdirSync(join(root, 'application'))
  const { shown, covers } = await clientPaths([join(root, 'app')])
  for (const other of ['application/x', '', 'other']) {
    expect(shown(join(root, other))).toBe(join(root, other))
    expect(covers(join(root, other))).toBe(false)
  }
  expect(covers(join(root, 'app/..a'))).toBe(true)
})

it('resolves relative paths against the first folder, and keeps folders that no longer exist', async () => {
  const paths = await clientPaths([join(root, 'gone'), root])
  expect(paths.absolute('x')).toBe(join(root, 'gone/x'))
  expect(paths.absolute('/etc/hosts')).toBe('/etc/hosts')
  expect(paths.covers(join(root, 'gone/deep/x'))).toBe(true)
})
