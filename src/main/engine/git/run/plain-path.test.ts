import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import {
  inPlainFolder,
  isPlainFolder,
  onDisk,
  plainFileHash,
  quoted,
  rawPaths,
  readPlainFile,
  shownPath,
  workFolder,
} from './plain-path'

const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

test('paths keep their bytes, and are text if they are UTF-8', () => {
  const [path] = rawPaths(Buffer.from('größe\0\0'))
  expect(shownPath(path!)).toBe('größe')
  expect(onDisk('/top', path!)).toBe('/top/größe')
  expect(onDisk('/top', '\xff')).toEqual(Buffer.concat([Buffer.from('/top/'), Buffer.from([0xff])]))
})

test('git reads a quoted path as the same path', async () => {
  const folder = await tempFolder()
  const git = (args: readonly string[], input?: string): Buffer =>
    execFileSync('git', args, { cwd: folder, ...(input !== undefined && { input: Buffer.from(input, 'latin1') }) })
  git(['init', '-q'])
  const hash = git(['hash-object', '-w', '--stdin'], 'x').toString().trim()
  const names = ['a b', 'a"b', 'a\\b', 'a\tb', 'line\nbreak', latin1('größe'), '\xff\x01', "it's"]
  git(['update-index', '--index-info'], names.map((name) => `100644 ${hash}\t${quoted(name)}\n`).join(''))
  expect(rawPaths(git(['ls-files', '-z'])).toSorted()).toEqual(names.toSorted())
})

describe('a file', () => {
  test('is read with its mode up to its limit, and has the hash that git gives it', async () => {
    const top = await tempFolder()
    mkdirSync(join(top, 'sub'))
    writeFileSync(join(top, 'sub/a'), 'text', { mode: 0o640 })
    expect(readPlainFile(top, 'sub/a', 4)).toEqual({ content: Buffer.from('text'), mode: 0o640 })
    expect(readPlainFile(top, 'sub/a', 3)).toBeUndefined()
    const expected = execFileSync('git', ['hash-object', join(top, 'sub/a')], { encoding: 'utf8' }).trim()
    expect(plainFileHash(top, 'sub/a', expected)).toBe(expected)
    expect(plainFileHash(top, 'sub/a', 'x'.repeat(64))).toHaveLength(64)
  })

  test.runIf(process.platform !== 'win32')('is never read through a link, and a pipe does not block', async () => {
    const [top, outside] = [await tempFolder(), await tempFolder()]
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(join(outside, 'secret'), join(top, 'link'))
    symlinkSync(outside, join(top, 'folder'))
    execFileSync('mkfifo', [join(top, 'pipe')])
    for (const path of ['link', 'folder/secret', 'pipe', 'missing', '.'])
      expect([readPlainFile(top, path, 100), plainFileHash(top, path, 'x')]).toEqual([undefined, undefined])
  })
})

describe('a parent folder', () => {
  test('is created if requested, even with a name that is not text', async () => {
    const top = await tempFolder()
    const names = process.platform === 'linux' ? ['a/b/c', '\xff/d/e'] : ['a/b/c']
    for (const path of names) {
      expect(() => inPlainFolder(top, path, {}, () => undefined)).toThrow(/missing|replaced|ENOENT|changed|no longer/)
      inPlainFolder(top, path, { make: true }, (place) => writeFileSync(place, 'x'))
      expect(readPlainFile(top, path, 9)?.content.toString()).toBe('x')
    }
  })

  test('that is a link or a file is refused, and nothing is done', async () => {
    const [top, outside] = [await tempFolder(), await tempFolder()]
    symlinkSync(outside, join(top, 'link'))
    writeFileSync(join(top, 'file'), '')
    for (const path of ['link/x', 'file/x', 'link/\xff', 'file/\xff'])
      expect(() => inPlainFolder(top, path, { make: true }, (place) => writeFileSync(place, ''))).toThrow(
        /link|folder|replaced|changed|ENOTDIR/,
      )
    expect(readdirSync(outside)).toEqual([])
  })
})

test('the working folder is the same as in the project, if it is still a plain folder', async () => {
  const top = await tempFolder()
  mkdirSync(join(top, 'a/b'), { recursive: true })
  symlinkSync('a', join(top, 'link'))
  expect(workFolder({ folder: top, inside: 'a/b' })).toBe(join(top, 'a/b'))
  for (const inside of ['', 'gone', 'link/b', '../x', 'a/../a'])
    expect(workFolder({ folder: top, inside })).toBe(inside === '' ? join(top, '') : top)
  expect([isPlainFolder(top, 'a'), isPlainFolder(top, 'a/..'), isPlainFolder(top, '')]).toEqual([true, false, true])
  expect(existsSync(top)).toBe(true)
})
