import { expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { keepFolderPrivate } from './private-folder'

const windows = { platform: 'win32', env: { USERDOMAIN: 'PC', USERNAME: 'me' }, userHome: 'C:\\Users\\me' } as const

it('a home outside of the user’s folder gets an access list of its own on Windows, once', async () => {
  const folder = await tempFolder()
  const runs: string[][] = []
  const run = async (program: string, args: readonly string[]) => (runs.push([program, ...args]), 0)
  for (let start = 0; start < 2; start += 1) expect(await keepFolderPrivate(folder, { ...windows, run })).toBeUndefined()
  expect(runs).toEqual([
    ['C:\\Windows\\System32\\icacls.exe', folder, '/inheritance:r', '/grant:r', 'PC\\me:(OI)(CI)F', '*S-1-5-18:(OI)(CI)F', '/Q'],
  ])
})

it.each([5, undefined])('when that fails (%j) the user is told, and it is tried again at the next start', async (code) => {
  const folder = await tempFolder()
  let runs = 0
  const run = async () => ((runs += 1), code)
  for (let start = 0; start < 2; start += 1)
    expect(await keepFolderPrivate(folder, { ...windows, run })).toMatch(/^Other users .* TRESTLE_HOME\.$/)
  expect(runs).toBe(2)
})

it('without a user name no access is taken away', async () => {
  const run = () => Promise.reject(new Error('run'))
  expect(await keepFolderPrivate(await tempFolder(), { ...windows, env: {}, run })).toContain('may be able to read')
})

it('below the user’s folder, and on other systems, nothing is run', async () => {
  const run = () => Promise.reject(new Error('run'))
  for (const folder of ['C:\\Users\\me\\.trestle', 'c:\\users\\ME\\x', '\\\\?\\C:\\Users\\me\\x'])
    expect(await keepFolderPrivate(folder, { ...windows, run })).toBeUndefined()
  expect(await keepFolderPrivate('/srv/trestle', { ...windows, platform: 'linux', run })).toBeUndefined()
})
