import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { installCommand, installCommandOfApp, type InstallCommandOptions } from './install-command'

/** An installed app and a user's home; `.local/bin` is on the PATH. */
async function place(): Promise<InstallCommandOptions & { own: string; link: string }> {
  const folder = await tempFolder()
  const [bin, userHome] = [join(folder, 'app', 'bin'), join(folder, 'user')]
  for (const each of [bin, userHome]) mkdirSync(each, { recursive: true })
  for (const name of ['trestle', 'trestle-node']) writeFileSync(join(bin, name), '')
  const own = join(userHome, '.local', 'bin')
  return { platform: 'linux', userHome, bin, searchPath: `/usr/bin:${own}`, own, link: join(own, 'trestle') }
}

test('the command is a link in a user folder, which is created if missing', async () => {
  const options = await place()
  expect(await installCommand(options)).toEqual({ path: options.link })
  expect(readlinkSync(options.link)).toBe(join(options.bin, 'trestle'))
  expect(await installCommand(options)).toEqual({ path: options.link })
})

test('explains what to add when that folder is not on the PATH', async () => {
  const options = { ...(await place()), searchPath: '/usr/bin' }
  expect(await installCommand(options)).toEqual({
    path: options.link,
    hint: expect.stringContaining(`export PATH="${options.own}:$PATH"`),
  })
})

test('replaces a link of an earlier installation, even a dangling one', async () => {
  const options = await place()
  const before = join(options.userHome, 'Old', 'bin')
  mkdirSync(before, { recursive: true })
  for (const name of ['trestle', 'trestle-node']) writeFileSync(join(before, name), '')
  await installCommand({ ...options, bin: before })
  await installCommand(options)
  expect(readlinkSync(options.link)).toBe(join(options.bin, 'trestle'))
  await installCommand({ ...options, bin: before })
  rmSync(before, { recursive: true })
  expect(await installCommand(options)).toEqual({ path: options.link })
})

test.each(['a program', 'a link to a program'])('keeps %s of that name that is not ours', async (what) => {
  const options = await place()
  mkdirSync(options.own, { recursive: true })
  const other = join(options.userHome, 'trestle')
  writeFileSync(other, 'theirs')
  if (what === 'a program') writeFileSync(options.link, 'theirs')
  else symlinkSync(other, options.link)
  expect(await installCommand(options)).toEqual({
    problem: expect.stringContaining('already exists and is not Trestle'),
  })
  expect(existsSync(other)).toBe(true)
})

test('uses a shared folder if it is writable', async () => {
  const options = await place()
  const shared = join(options.userHome, 'shared')
  mkdirSync(shared)
  const missing = join(options.userHome, 'missing')
  const installed = await installCommand({
    ...options,
    platform: 'darwin',
    sharedFolders: [missing, shared],
    searchPath: shared,
  })
  expect(installed).toEqual({ path: join(shared, 'trestle') })
  expect(existsSync(options.own)).toBe(false)
})

test('adds the folder itself to the PATH on Windows, once', async () => {
  const added: string[] = []
  const options = {
    ...(await place()),
    platform: 'win32' as const,
    bin: 'C:\\Trestle\\resources\\bin',
    addToPath: async (folder: string) => void added.push(folder),
  }
  expect(await installCommand(options)).toMatchObject({ hint: 'Open a new terminal to use it.' })
  expect(
    await installCommand({ ...options, searchPath: 'C:\\Windows;c:\\trestle\\Resources\\bin\\' }),
  ).not.toHaveProperty('hint')
  expect(added).toEqual(['C:\\Trestle\\resources\\bin'])
})

test('installs nothing in the repository, and names the alternative', async () => {
  expect(await installCommandOfApp('/nowhere')).toEqual({ problem: expect.stringContaining('npm run -s trestle') })
})
