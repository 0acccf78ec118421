import { expect, test } from 'vitest'
import type { Mount } from './system-mounts'
import { mountedOtherwise } from './mounted-as-planned'

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

test('mounts that are as planned are taken', () => {
  expect(mountedOtherwise(lines(KEPT, HIDDEN), PLAN, nothingOutside)).toBeUndefined()
})

test('a mask that is missing is noticed', () => {
  expect(mountedOtherwise(lines(KEPT), PLAN, nothingOutside)).toBe('/home/me/my project/sub/.env')
})

test('a protected folder that shows another one is noticed', () => {
  const other = KEPT.replace(String.raw`/home/me/my\040project/.vscode`, '/home/me/.trestle')
  expect(mountedOtherwise(lines(other, HIDDEN), PLAN, nothingOutside)).toBe('/home/me/my project/.vscode')
})

test('a mount that a link has led to another place is noticed', () => {
  const astray = '6 1 8:1 /home/me/.trestle /home/me/.trestle ro - ext4 /dev/sda rw'
  expect(mountedOtherwise(lines(KEPT, HIDDEN, astray), PLAN, nothingOutside)).toBe('/home/me/.trestle')
})

test('mounts of the machine below what is visible are no surprise', () => {
  const below = '7 2 8:9 / /usr/local ro - ext4 /dev/sdb rw'
  const outside = '77 20 8:9 / /usr/local rw - ext4 /dev/sdb rw'
  expect(mountedOtherwise(lines(KEPT, HIDDEN, below), PLAN, () => outside)).toBeUndefined()
  expect(mountedOtherwise(lines(KEPT, HIDDEN, below), PLAN, nothingOutside)).toBe('/usr/local')
})

test('a mask of the system that is missing, and a mount that is not read-only as planned, are noticed', () => {
  const plan: Mount[] = [...PLAN, { kind: 'hidden', path: '/etc/shadow' }]
  expect(mountedOtherwise(lines(KEPT, HIDDEN), plan, nothingOutside)).toBe('/etc/shadow')
  const writable = lines(KEPT, HIDDEN).replace('/usr /usr ro', '/usr /usr rw')
  expect(mountedOtherwise(writable, PLAN, nothingOutside)).toBe('/usr')
})
