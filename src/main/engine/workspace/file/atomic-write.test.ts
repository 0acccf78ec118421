import { execFileSync } from 'node:child_process'
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { atomicWrite, renameOver, renameOverSync } from './atomic-write'
import { loadFile } from './open-file'

const bytes = (text: string): Buffer => Buffer.from(text)

describe('atomicWrite', () => {
  it('keeps the permissions of the file it replaces', async () => {
    const path = join(await tempFolder(), 'run.sh')
    await writeFile(path, 'old')
    await chmod(path, 0o751)
    await atomicWrite(path, bytes('new'))
    expect((await stat(path)).mode & 0o7777).toBe(0o751)
    expect(await readFile(path, 'utf8')).toBe('new')
  })

  it('does not keep a setuid bit for new content', async () => {
    const path = join(await tempFolder(), 'tool')
    await writeFile(path, 'old')
    await chmod(path, 0o4755)
    await atomicWrite(path, bytes('new'))
    expect((await stat(path)).mode & 0o7777).toBe(0o755)
  })

  it('gives a new file the requested mode, less the umask', async () => {
    const folder = await tempFolder()
    await atomicWrite(join(folder, 'a'), bytes('x'))
    await atomicWrite(join(folder, 'b'), bytes('x'), { mode: 0o600 })
    expect((await stat(join(folder, 'a'))).mode & 0o777).toBe(0o666 & ~process.umask())
    expect((await stat(join(folder, 'b'))).mode & 0o777).toBe(0o600)
  })

  it('replaces the file behind a symlink and leaves the link', async () => {
    const folder = await tempFolder()
    await mkdir(join(folder, 'real'))
    await writeFile(join(folder, 'real', 'x'), 'old')
    await symlink('real/x', join(folder, 'link'))
    await atomicWrite(join(folder, 'link'), bytes('new'))
    expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(folder, 'real', 'x'), 'utf8')).toBe('new')
  })

  it('refuses folders, pipes and dangling links instead of replacing them', async () => {
    const folder = await tempFolder()
    execFileSync('/usr/bin/env', ['mkfifo', join(folder, 'pipe')])
    await symlink('nowhere', join(folder, 'dangling'))
    await expect(atomicWrite(folder, bytes('x'), { shown: 'it' })).rejects.toThrow('it is a folder')
    await expect(atomicWrite(join(folder, 'pipe'), bytes('x'), { shown: 'it' })).rejects.toThrow('it is a named pipe')
    await expect(atomicWrite(join(folder, 'dangling'), bytes('x'), { shown: 'it' })).rejects.toThrow('symbolic link')
    expect((await readdir(folder)).toSorted()).toEqual(['dangling', 'pipe'])
  })

  it('leaves no temporary file behind, on success or failure', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'a')
    await writeFile(path, 'one')
    const before = await loadFile(path, 'a')
    await atomicWrite(path, bytes('two'))
    await expect(atomicWrite(path, bytes('three'), { expect: before!.stamp })).rejects.toMatchObject({
      kind: 'changed',
    })
    await expect(atomicWrite(path, bytes('three'), { expect: 'absent' })).rejects.toMatchObject({ kind: 'changed' })
    expect(await readdir(folder)).toEqual(['a'])
    expect(await readFile(path, 'utf8')).toBe('two')
  })

  it('writes if the file is still as expected', async () => {
    const path = join(await tempFolder(), 'a')
    await atomicWrite(path, bytes('one'), { expect: 'absent' })
    const loaded = await loadFile(path, 'a')
    await atomicWrite(path, bytes('two'), { expect: loaded!.stamp })
    expect(await readFile(path, 'utf8')).toBe('two')
    expect((await stat(path)).nlink).toBe(1)
  })

  it('does not let two writers who both expect no file overwrite each other', async () => {
    const path = join(await tempFolder(), 'a')
    const results = await Promise.allSettled(
      ['1', '2', '3', '4'].map((text) => atomicWrite(path, bytes(text), { expect: 'absent' })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('writes a file whose name is as long as the file system allows', async () => {
    const path = join(await tempFolder(), 'n'.repeat(255))
    await atomicWrite(path, bytes('x'))
    expect(await readFile(path, 'utf8')).toBe('x')
  })

  it('names the file whose folder is missing', async () => {
    const path = join(await tempFolder(), 'missing', 'a')
    await expect(atomicWrite(path, bytes('x'), { shown: 'missing/a' })).rejects.toThrow('missing/a does not exist')
  })

  it('keeps hard links to the file: each name has the new content', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'a'), 'old')
    await link(join(folder, 'a'), join(folder, 'b'))
    const loaded = await loadFile(join(folder, 'a'), 'a')
    await atomicWrite(join(folder, 'a'), bytes('new'), { expect: loaded!.stamp, exactly: true })
    expect(await readFile(join(folder, 'b'), 'utf8')).toBe('new')
    expect((await stat(join(folder, 'a'))).nlink).toBe(2)
    await expect(atomicWrite(join(folder, 'a'), bytes('newer'), { expect: loaded!.stamp })).rejects.toMatchObject({
      kind: 'changed',
    })
    expect((await readdir(folder)).toSorted()).toEqual(['a', 'b'])
  })

  it.skipIf(process.getuid?.() === 0)('writes a writable file in a read-only folder in place', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'a'), 'old')
    await chmod(folder, 0o555)
    onTestFinished(() => chmod(folder, 0o755))
    await atomicWrite(join(folder, 'a'), bytes('new'))
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('new')
    await expect(atomicWrite(join(folder, 'b'), bytes('new'), { shown: 'b' })).rejects.toThrow('b cannot be accessed')
  })

  it.skipIf(process.getuid?.() === 0)('does not replace a file that is write-protected', async () => {
    const path = join(await tempFolder(), 'a')
    await writeFile(path, 'old', { mode: 0o444 })
    await expect(atomicWrite(path, bytes('new'))).rejects.toThrow('permission denied')
    expect(await readFile(path, 'utf8')).toBe('old')
  })
})

/** A rename that fails this many times with this code. */
function failing(times: number, code: string) {
  let tries = 0
  return {
    tries: () => tries,
    rename() {
      if (++tries <= times) throw Object.assign(new Error(code), { code })
    },
  }
}

describe('a file that Windows holds open for a moment', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('is replaced on a later attempt (%s)', async (code) => {
    const [waiting, blocking] = [failing(3, code), failing(3, code)]
    await renameOver('a', 'b', { platform: 'win32', rename: waiting.rename })
    renameOverSync('a', 'b', { platform: 'win32', rename: blocking.rename })
    expect([waiting.tries(), blocking.tries()]).toEqual([4, 4])
  })

  it('is given up on eventually, and immediately on other systems or after other errors', async () => {
    const held = failing(100, 'EPERM')
    await expect(renameOver('a', 'b', { platform: 'win32', rename: held.rename })).rejects.toThrow('EPERM')
    expect(held.tries()).toBe(6)
    for (const [platform, code] of [
      ['linux', 'EPERM'],
      ['win32', 'ENOENT'],
    ] as const) {
      const { rename, tries } = failing(100, code)
      expect(() => renameOverSync('a', 'b', { platform, rename })).toThrow(code)
      expect(tries()).toBe(1)
    }
  })

  it('is checked before each attempt, and left alone if it has changed', async () => {
    let looks = 0
    const beforeRename = () => {
      if (++looks === 2) throw new Error('changed meanwhile')
    }
    const { rename, tries } = failing(100, 'EBUSY')
    await expect(renameOver('a', 'b', { platform: 'win32', rename, beforeRename })).rejects.toThrow('changed meanwhile')
    expect(tries()).toBe(1)
  })
})
