import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { captureFile, openBlobStore, sameState } from './file-state'

const MAX = { maxBytes: 10 }
/** Windows has no permissions of this kind. */
const modeBits = process.platform === 'win32' ? 0 : 0o777

describe('the state of a path', () => {
  test('of a file is its content, size and permissions', async () => {
    const path = join(await tempFolder(), 'a')
    writeFileSync(path, 'text')
    chmodSync(path, 0o640)
    expect(captureFile(path, MAX)).toEqual({ kind: 'file', hash: hash('sha256', 'text', 'hex'), size: 4, mode: 0o640 })
  })

  test('of a link is its target, even if that does not exist, and it is not followed', async () => {
    const path = join(await tempFolder(), 'größe')
    symlinkSync('nowhere/größe', path)
    expect(captureFile(path, MAX)).toEqual({ kind: 'link', target: 'nowhere/größe' })
  })

  test.runIf(process.platform === 'linux')('of a link to a name that is not text is not kept', async () => {
    const path = join(await tempFolder(), 'a')
    symlinkSync(Buffer.from([0x61, 0xff]), path)
    expect(captureFile(path, MAX)).toMatchObject({ kind: 'unkept', why: 'it is a link to a name that is not UTF-8' })
  })

  test('is absent for a missing path, below a file, and behind circular links', async () => {
    const folder = await tempFolder()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('b', join(folder, 'a'))
    symlinkSync('a', join(folder, 'b'))
    for (const path of ['missing', 'missing/x', 'file/x', 'a/x'])
      expect(captureFile(join(folder, path), MAX)).toEqual({ kind: 'absent' })
  })

  test('of a file up to the limit is kept, and of a larger one only a version stamp', async () => {
    const path = join(await tempFolder(), 'a')
    writeFileSync(path, 'x'.repeat(10))
    expect(captureFile(path, MAX).kind).toBe('file')
    writeFileSync(path, 'x'.repeat(11))
    const large = captureFile(path, MAX)
    expect(large).toMatchObject({ kind: 'unkept', why: expect.stringContaining('too large') })
    expect(sameState(large, captureFile(path, MAX))).toBe(true)
    utimesSync(path, 1, 1)
    expect(sameState(large, captureFile(path, MAX))).toBe(false)
  })

  test.runIf(process.platform !== 'win32')('of a pipe does not block', async () => {
    const path = join(await tempFolder(), 'pipe')
    execFileSync('mkfifo', [path])
    expect(captureFile(path, MAX)).toMatchObject({ kind: 'unkept', why: 'it is neither a file nor a folder' })
  })
})

describe('two states', () => {
  const file = { kind: 'file', hash: 'a', size: 1, mode: 0o644 } as const
  test('are the same only with the same kind, content and permissions', () => {
    expect(sameState(file, { ...file })).toBe(true)
    expect(sameState(file, { ...file, mode: 0o755 })).toBe(false)
    expect(sameState(file, { ...file, hash: 'b' })).toBe(false)
    expect(sameState({ kind: 'absent' }, { kind: 'absent' })).toBe(true)
    expect(sameState({ kind: 'link', target: 'a' }, { kind: 'link', target: 'b' })).toBe(false)
    expect(sameState({ kind: 'folder', mode: 0o755 }, { kind: 'folder', mode: 0o700 })).toBe(false)
    expect(sameState({ kind: 'absent' }, file)).toBe(false)
  })
})

describe('the store of contents', () => {
  test('keeps each content once, readable only by the user, and returns it', async () => {
    const folder = join(await tempFolder(), 'contents')
    const blobs = openBlobStore(folder)
    const name = blobs.put(Buffer.from([0, 255]))
    expect(blobs.put(Buffer.from([0, 255]))).toBe(name)
    expect(blobs.get(name)).toEqual(Buffer.from([0, 255]))
    expect(readdirSync(join(folder, name.slice(0, 2)))).toEqual([name.slice(2)])
    expect(statSync(join(folder, name.slice(0, 2), name.slice(2))).mode & modeBits).toBe(0o600 & modeBits)
  })

  test('never returns modified content, and accepts only hashes as names', async () => {
    const folder = await tempFolder()
    const blobs = openBlobStore(folder)
    const name = blobs.put(Buffer.from('text'))
    writeFileSync(join(folder, name.slice(0, 2), name.slice(2)), 'changed')
    expect(blobs.get(name)).toBeUndefined()
    writeFileSync(join(folder, 'secret'), 'x')
    for (const other of ['', '../secret', 'secret', name.toUpperCase(), `${name}\n`])
      expect([blobs.has(other), blobs.touch(other), blobs.get(other)]).toEqual([false, false, undefined])
  })

  test('stores content again after another process removed it and its folder', async () => {
    const folder = await tempFolder()
    const blobs = openBlobStore(folder)
    const name = blobs.put(Buffer.from('text'))
    rmSync(join(folder, name.slice(0, 2), name.slice(2)))
    expect(blobs.has(name)).toBe(false)
    expect(blobs.put(Buffer.from('text'))).toBe(name)
    expect(blobs.get(name)?.toString()).toBe('text')
  })

  test('marks content as used when it is stored again, so that it is not garbage-collected', async () => {
    const folder = await tempFolder()
    const name = openBlobStore(folder).put(Buffer.from('text'))
    const path = join(folder, name.slice(0, 2), name.slice(2))
    utimesSync(path, 1, 1)
    const blobs = openBlobStore(folder)
    expect(blobs.has(name)).toBe(true)
    expect(statSync(path).mtimeMs).toBe(1_000)
    expect(blobs.touch(name)).toBe(true)
    expect(statSync(path).mtimeMs).toBeGreaterThan(Date.now() - 60_000)
  })
})
