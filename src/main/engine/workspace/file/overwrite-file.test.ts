import { chmod, link, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { loadFile } from './open-file'
import { overwriteFile } from './overwrite-file'

const OLD = 'old content '.repeat(1000)

async function place(content = OLD) {
  const folder = await tempFolder()
  const copies = await tempFolder()
  const path = join(folder, 'a.txt')
  await writeFile(path, content)
  return { folder, copies, path, text: () => readFile(path, 'utf8') }
}

const noSpace = (): never => {
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
}

describe('overwriteFile', () => {
  it.for([
    ['shorter', 'x'],
    ['of the same length', 'y'.repeat(OLD.length)],
    ['longer', 'z'.repeat(OLD.length * 2)],
    ['empty', ''],
  ])('writes content that is %s, in the same file, and leaves no copy behind', async ([, content]) => {
    const { path, copies, text } = await place()
    const before = await stat(path)
    const written = overwriteFile(path, Buffer.from(content!), { shown: 'a.txt', copies })
    expect(await text()).toBe(content)
    expect((await stat(path)).ino).toBe(before.ino)
    expect(Number(written.size)).toBe(content!.length)
    expect(await readdir(copies)).toEqual([])
  })

  it('leaves the old content unchanged if there is no space for the file to grow', async () => {
    const { path, copies, text } = await place()
    const write = () => overwriteFile(path, Buffer.alloc(OLD.length + 1), { shown: 'a.txt', copies, write: noSpace })
    expect(write).toThrow('no space left on the disk')
    expect(await text()).toBe(OLD)
    expect(await readdir(copies)).toEqual([])
  })

  it('restores the old content if writing fails halfway', async () => {
    const { path, copies, text } = await place()
    let calls = 0
    const failsOnce = (fd: number, bytes: Uint8Array, at: number): number =>
      (calls += 1) === 2 ? noSpace() : writeSync(fd, bytes, 0, calls === 1 ? 5 : bytes.length, at)
    expect(() =>
      overwriteFile(path, Buffer.from('NEW'.repeat(100)), { shown: 'a.txt', copies, write: failsOnce }),
    ).toThrow('no space left')
    expect(await text()).toBe(OLD)
    expect(await readdir(copies)).toEqual([])
  })

  it('keeps the copy and says where it is if the old content cannot be restored either', async () => {
    const { path, copies } = await place()
    let calls = 0
    const fails = (fd: number, bytes: Uint8Array, at: number): number =>
      (calls += 1) > 1 ? noSpace() : writeSync(fd, bytes, 0, 5, at)
    expect(() => overwriteFile(path, Buffer.from('NEW'.repeat(100)), { shown: 'a.txt', copies, write: fails })).toThrow(
      new RegExp(`its old content is in ${copies}/trestle-before-.*/a.txt`),
    )
    const [kept] = await readdir(copies)
    expect(await readFile(join(copies, kept!, 'a.txt'), 'utf8')).toBe(OLD)
    expect((await stat(join(copies, kept!))).mode & 0o777).toBe(0o700)
  })

  it('writes nothing if no copy can be made, and says why', async () => {
    const { path, copies, text } = await place()
    expect(() => overwriteFile(path, Buffer.from('new'), { shown: 'a.txt', copies: join(copies, 'missing') })).toThrow(
      /a\.txt can only be written in place, and no copy of it could be made.*does not exist.*Nothing was written/,
    )
    expect(await text()).toBe(OLD)
  })

  it('writes nothing if the file is no longer as expected, and follows no link', async () => {
    const { folder, path, copies, text } = await place()
    const loaded = await loadFile(path, 'a.txt')
    await writeFile(path, 'changed by another program')
    expect(() => overwriteFile(path, Buffer.from('new'), { shown: 'a.txt', expect: loaded!.stamp, copies })).toThrow(
      'changed by something else',
    )
    await symlink('a.txt', join(folder, 'link'))
    expect(() => overwriteFile(join(folder, 'link'), Buffer.from('new'), { shown: 'link', copies })).toThrow(
      'symbolic link',
    )
    expect(await text()).toBe('changed by another program')
    expect(await readdir(copies)).toEqual([])
  })

  it('does not keep a setuid bit for new content, but keeps the other permissions and links', async () => {
    const { folder, path, copies } = await place()
    await link(path, join(folder, 'b.txt'))
    await chmod(path, 0o4751)
    overwriteFile(path, Buffer.from('new'), { shown: 'a.txt', copies })
    expect((await stat(path)).mode & 0o7777).toBe(0o751)
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('new')
  })
})
