import { mkdtempSync, rmSync, statSync, writeFileSync, chmodSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, it } from 'vitest'
import { resolveHome, keepFolderPrivate } from './home'
import { tempFolder } from '../../../../test/support/temp-folder'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trestle-home-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the folder is created for the user alone, including its parents', () => {
  const home = resolveHome(undefined, { TRESTLE_HOME: join(folder, 'a', 'b') })
  expect(home).toBe(join(folder, 'a', 'b'))
  expect(statSync(home).mode & 0o777).toBe(0o700)
})

test('an argument overrides the environment, and a relative path is made absolute', () => {
  expect(resolveHome(join(folder, 'x'), { TRESTLE_HOME: join(folder, 'y') })).toBe(join(folder, 'x'))
  expect(resolveHome(join(folder, 'x', '..', 'z'), {})).toBe(join(folder, 'z'))
})

test('a tilde in TRESTLE_HOME is the home folder, not a folder named ~', () => {
  expect(resolveHome('~', {})).toBe(homedir())
})

test('a folder that is shared on purpose keeps its permissions', () => {
  chmodSync(folder, 0o775)
  resolveHome(folder, {})
  expect(statSync(folder).mode & 0o777).toBe(0o775)
})

test('a file instead of the folder is a coded error with the path', () => {
  writeFileSync(join(folder, 'file'), '')
  for (const home of [join(folder, 'file'), join(folder, 'file', 'below')]) {
    expect(() => resolveHome(home, {})).toThrow(
      expect.objectContaining({ code: 'home.unusable', message: expect.stringContaining(home) }),
    )
  }
})

test('a location where no folders can be created is a coded error too, without delay', () => {
  if (process.platform !== 'linux') return
  expect(() => resolveHome('/proc/trestle/home', {})).toThrow(expect.objectContaining({ code: 'home.unusable' }))
})

const windows = { platform: 'win32', env: { USERDOMAIN: 'PC', USERNAME: 'me' }, userHome: 'C:\\Users\\me' } as const

it('a home outside the user’s folder gets its own access list on Windows, once', async () => {
  const folder = await tempFolder()
  const runs: string[][] = []
  const run = async (program: string, args: readonly string[]) => (runs.push([program, ...args]), 0)
  for (let start = 0; start < 2; start += 1)
    expect(await keepFolderPrivate(folder, { ...windows, run })).toBeUndefined()
  expect(runs).toEqual([
    [
      'C:\\Windows\\System32\\icacls.exe',
      folder,
      '/inheritance:r',
      '/grant:r',
      'PC\\me:(OI)(CI)F',
      '*S-1-5-18:(OI)(CI)F',
      '/Q',
    ],
  ])
})

it.each([5, undefined])('when that fails (%j), the user is notified, and the next start tries again', async (code) => {
  const folder = await tempFolder()
  let runs = 0
  const run = async () => ((runs += 1), code)
  for (let start = 0; start < 2; start += 1)
    expect(await keepFolderPrivate(folder, { ...windows, run })).toMatch(/^Other users .* TRESTLE_HOME\.$/)
  expect(runs).toBe(2)
})

it('without a user name, no access is revoked', async () => {
  const run = () => Promise.reject(new Error('run'))
  expect(await keepFolderPrivate(await tempFolder(), { ...windows, env: {}, run })).toContain('may be able to read')
})

it('below the user’s folder and on other systems, no program is run', async () => {
  const run = () => Promise.reject(new Error('run'))
  for (const folder of ['C:\\Users\\me\\.trestle', 'c:\\users\\ME\\x', '\\\\?\\C:\\Users\\me\\x'])
    expect(await keepFolderPrivate(folder, { ...windows, run })).toBeUndefined()
  expect(await keepFolderPrivate('/srv/trestle', { ...windows, platform: 'linux', run })).toBeUndefined()
})
