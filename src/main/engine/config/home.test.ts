import { mkdtempSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resolveHome } from './home'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trestle-home-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the folder is made for the user alone, deep down too', () => {
  const home = resolveHome(undefined, { TRESTLE_HOME: join(folder, 'a', 'b') })
  expect(home).toBe(join(folder, 'a', 'b'))
  expect(statSync(home).mode & 0o777).toBe(0o700)
})

test('an argument comes before the environment, and a relative path is made absolute', () => {
  expect(resolveHome(join(folder, 'x'), { TRESTLE_HOME: join(folder, 'y') })).toBe(join(folder, 'x'))
  expect(resolveHome(join(folder, 'x', '..', 'z'), {})).toBe(join(folder, 'z'))
})

test('a tilde in TRESTLE_HOME is the home folder, not a folder called ~', () => {
  expect(resolveHome('~', {})).toBe(homedir())
})

test('a folder that others share on purpose keeps its rights', () => {
  chmodSync(folder, 0o775)
  resolveHome(folder, {})
  expect(statSync(folder).mode & 0o777).toBe(0o775)
})

test('a file in its place is a coded error with the path', () => {
  writeFileSync(join(folder, 'file'), '')
  for (const home of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    expect(() => resolveHome(home, {})).toThrow(expect.objectContaining({ code: 'home.unusable', message: expect.stringContaining(home) }))
  }
})

test('a place where the system makes no folders is a coded error too, and soon', () => {
  if (process.platform !== 'linux') return
  expect(() => resolveHome('/proc/trestle/home', {})).toThrow(expect.objectContaining({ code: 'home.unusable' }))
})
