import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { mountsOnTemplate, templateOf, findMountMismatch } from './mount-template'
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

test('a template with the same mounts needs no others', async () => {
  const { mounts } = await place()
  expect(mountsOnTemplate(mounts, templateOf(mounts))).toEqual([])
})

test('a new or replaced secret is hidden with a mask from the template', async () => {
  const { root, mounts } = await place()
  const template = templateOf(mounts)
  writeFileSync(join(root, 'new'), 'x')
  renameSync(join(root, 'new'), join(root, 'sub/.env'))
  writeFileSync(join(root, 'key'), 'x')
  const added = mountsOnTemplate([...mounts, { kind: 'hidden', path: join(root, 'key') }], template)
  expect(added).toEqual(
    ['sub/.env', 'key'].map((name) => ({ kind: 'read', path: join(root, name), from: join(root, '.env') })),
  )
})

test('a template with a mount that is no longer planned is not used', async () => {
  const { mounts } = await place()
  for (const index of mounts.keys())
    expect(mountsOnTemplate(mounts.toSpliced(index, 1), templateOf(mounts))).toBeUndefined()
})

test('a project folder that was replaced is not taken from a template', async () => {
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
  for (const mount of more)
    expect({ mount, added: mountsOnTemplate([...mounts, mount], template) }).toEqual({ mount, added: undefined })
})

const PLAN: Mount[] = [
  { kind: 'read', path: '/usr' },
  { kind: 'write', path: '/home/me/my project' },
  { kind: 'read', path: '/home/me/my project/.vscode' },
  { kind: 'hidden', path: '/home/me/my project/sub/.env' },
]
const lines = (...more: string[]): string =>
  [
    '1 0 0:50 / / ro - tmpfs tmpfs rw',
    '2 1 8:1 /usr /usr ro - ext4 /dev/sda rw',
    String.raw`3 1 8:1 /home/me/my\040project /home/me/my\040project rw - ext4 /dev/sda rw`,
    '9 1 0:60 / /proc rw - proc proc rw',
    ...more,
  ].join('\n')
const KEPT = String.raw`4 3 8:1 /home/me/my\040project/.vscode /home/me/my\040project/.vscode ro - ext4 /dev/sda rw`
const HIDDEN = String.raw`5 3 8:1 /home/me/.trestle/run/sandbox/hidden /home/me/my\040project/sub/.env ro - ext4 /dev/sda rw`
const nothingOutside = (): string => ''

test('mounts that match the plan are accepted', () => {
  expect(findMountMismatch(lines(KEPT, HIDDEN), PLAN, nothingOutside)).toBeUndefined()
})

test('a missing mask is detected', () => {
  expect(findMountMismatch(lines(KEPT), PLAN, nothingOutside)).toBe('/home/me/my project/sub/.env')
})

test('a protected folder that shows another one is detected', () => {
  const other = KEPT.replace(String.raw`/home/me/my\040project/.vscode`, '/home/me/.trestle')
  expect(findMountMismatch(lines(other, HIDDEN), PLAN, nothingOutside)).toBe('/home/me/my project/.vscode')
})

test('a mount that a link redirected to another path is detected', () => {
  const astray = '6 1 8:1 /home/me/.trestle /home/me/.trestle ro - ext4 /dev/sda rw'
  expect(findMountMismatch(lines(KEPT, HIDDEN, astray), PLAN, nothingOutside)).toBe('/home/me/.trestle')
})

test('the machine’s own mounts below a visible folder are accepted', () => {
  const below = '7 2 8:9 / /usr/local ro - ext4 /dev/sdb rw'
  const outside = '77 20 8:9 / /usr/local rw - ext4 /dev/sdb rw'
  expect(findMountMismatch(lines(KEPT, HIDDEN, below), PLAN, () => outside)).toBeUndefined()
  expect(findMountMismatch(lines(KEPT, HIDDEN, below), PLAN, nothingOutside)).toBe('/usr/local')
})

test('a missing mask of a system file, and a mount that is not read-only as planned, are detected', () => {
  const plan: Mount[] = [...PLAN, { kind: 'hidden', path: '/etc/shadow' }]
  expect(findMountMismatch(lines(KEPT, HIDDEN), plan, nothingOutside)).toBe('/etc/shadow')
  const writable = lines(KEPT, HIDDEN).replace('/usr /usr ro', '/usr /usr rw')
  expect(findMountMismatch(writable, PLAN, nothingOutside)).toBe('/usr')
})

test('a folder shown instead of another is verified, and is not taken from a template', async () => {
  const own: Mount = { kind: 'write', path: '/home/me/.npm/_npx', from: '/home/me/.trestle/run/npx-cache' }
  const plan: Mount[] = [...PLAN, { kind: 'write', path: '/home/me/.npm' }, own]
  const npm = '10 1 8:1 /home/me/.npm /home/me/.npm rw - ext4 /dev/sda rw'
  const shown = (root: string): string =>
    lines(KEPT, HIDDEN, npm, `11 10 8:1 ${root} /home/me/.npm/_npx rw - ext4 /dev/sda rw`)
  const outside = (): string => '20 1 8:1 / / rw - ext4 /dev/sda rw'
  expect(findMountMismatch(shown('/home/me/.trestle/run/npx-cache'), plan, outside)).toBeUndefined()
  expect(findMountMismatch(shown('/home/me/.ssh'), plan, outside)).toBe('/home/me/.npm/_npx')
  expect(findMountMismatch(lines(KEPT, HIDDEN, npm), plan, outside)).toBe('/home/me/.npm/_npx')
  const { root, mounts } = await place()
  const folder: Mount = { kind: 'write', path: join(root, 'sub'), from: join(root, '.vscode') }
  expect(mountsOnTemplate([...mounts, folder], templateOf(mounts))).toBeUndefined()
})
