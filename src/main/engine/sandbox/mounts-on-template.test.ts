import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { mountsOnTemplate, templateOf } from './mounts-on-template'
import type { Mount } from './system-mounts'

/** A project with two secrets and a protected folder, and the mounts for it. */
async function place(): Promise<{ root: string; mounts: Mount[] }> {
  const root = await tempFolder()
  for (const name of ['.env', 'sub/.env']) {
    mkdirSync(join(root, name, '..'), { recursive: true })
    writeFileSync(join(root, name), 'x')
  }
  mkdirSync(join(root, '.vscode'))
  return {
    root,
    mounts: [
      { kind: 'read', path: '/usr' },
      { kind: 'write', path: root },
      { kind: 'read', path: join(root, '.vscode') },
      { kind: 'hidden', path: join(root, '.env') },
      { kind: 'hidden', path: join(root, 'sub/.env') },
    ],
  }
}

test('the same mounts need nothing more', async () => {
  const { mounts } = await place()
  expect(mountsOnTemplate(mounts, templateOf(mounts))).toEqual([])
})

test('a secret that is new or was replaced is hidden again, with a mask that the template has', async () => {
  const { root, mounts } = await place()
  const template = templateOf(mounts)
  writeFileSync(join(root, 'new'), 'x')
  renameSync(join(root, 'new'), join(root, 'sub/.env'))
  writeFileSync(join(root, 'key'), 'x')
  const added = mountsOnTemplate([...mounts, { kind: 'hidden', path: join(root, 'key') }], template)
  expect(added).toEqual(['sub/.env', 'key'].map((name) => ({ kind: 'read', path: join(root, name), from: join(root, '.env') })))
})

test('a template that shows or keeps what is not wanted any more is not used', async () => {
  const { mounts } = await place()
  for (const index of mounts.keys()) expect(mountsOnTemplate(mounts.toSpliced(index, 1), templateOf(mounts))).toBeUndefined()
})

test('a project that was replaced as a whole is not taken from a template', async () => {
  const { root, mounts } = await place()
  const template = templateOf(mounts)
  renameSync(root, `${root}-before`)
  mkdirSync(join(root, 'sub'), { recursive: true })
  expect(mountsOnTemplate(mounts, template)).toBeUndefined()
  rmSync(`${root}-before`, { recursive: true })
})

test('what the template does not show, or shows read-only, cannot be added to it', async () => {
  const { root, mounts } = await place()
  const template = templateOf(mounts)
  const elsewhere = await tempFolder()
  symlinkSync(elsewhere, join(root, 'link'))
  const more: Mount[] = [
    { kind: 'read', path: elsewhere },
    { kind: 'write', path: elsewhere },
    { kind: 'write', path: '/usr/share' },
    { kind: 'read', path: join(root, 'link') },
    { kind: 'text', path: join(root, 'sub'), text: '' },
  ]
  for (const mount of more) expect({ mount, added: mountsOnTemplate([...mounts, mount], template) }).toEqual({ mount, added: undefined })
})
