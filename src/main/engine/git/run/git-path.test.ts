import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import {
  diskPath,
  gitPath,
  isFolderPath,
  isInFolder,
  isSafeTreePath,
  pathArgument,
  pathBytes,
  pathInRepository,
  pathList,
} from './git-path'

const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((given) => Buffer.from(given.filter((byte) => byte > 0)))

test('a path keeps its bytes, whatever they are', () => {
  fc.assert(
    fc.property(bytes, (name) => {
      expect(pathBytes(gitPath(name.toString('latin1')))).toEqual(name)
    }),
    { numRuns: 200, seed: 14 },
  )
})

test('a path that is text is that text', () => {
  expect(gitPath(Buffer.from('größe/世界.txt').toString('latin1'))).toBe('größe/世界.txt')
})

test('a folder is recognized by its last byte, and its contents by their prefix', () => {
  expect(['a/', 'a/b', gitPath('\xff/'), gitPath('a/\xff')].map(isFolderPath)).toEqual([true, false, true, false])
  expect(isInFolder(gitPath('a/\xff'), 'a/')).toBe(true)
  expect(isInFolder('ab/c', 'a/')).toBe(false)
})

test('a list of paths has each unchanged, relative to the top, and never as a pattern', () => {
  expect(pathList(['*.txt', gitPath('\xff')]).toString('latin1')).toBe(':(top,literal)*.txt\0:(top,literal)\xff\0')
})

test('an argument is literal, or for a name that is not text a pattern that matches it', () => {
  expect(pathArgument('[a]*.txt')).toBe(':(top,literal)[a]*.txt')
  expect(pathArgument(gitPath('[a]*\xff'))).toBe(String.raw`:(top,glob)\[a\]\*?`)
})

describe('a path from a repository', () => {
  test.each(['a', 'a/b.git', '.github/x', '.gitignore', 'git~', 'a/..b', '...', 'größe', 'x.git/config'])(
    '%j is safe',
    (path) => expect(isSafeTreePath(Buffer.from(path).toString('latin1'))).toBe(true),
  )

  test.each([
    '',
    '/a',
    'a//b',
    'a/',
    '..',
    'a/../b',
    './a',
    'a\0b',
    '.git',
    'a/.GIT/hooks',
    '.git./x',
    '.git /x',
    '.gi\u200ct',
    'GIT~1/x',
    '.git::$INDEX_ALLOCATION/x',
    String.raw`a\.git\hooks`,
  ])('%j is not', (path) => expect(isSafeTreePath(Buffer.from(path).toString('latin1'))).toBe(false))
})

describe('the path in the repository of a file', () => {
  const invalid = expect.objectContaining({ code: 'request.invalid' })

  test('is relative to the top, even for deleted files and names that start with dots', async () => {
    const top = await tempFolder()
    mkdirSync(join(top, 'sub'))
    expect(pathInRepository(top, join(top, 'sub'), 'gone.txt')).toBe('sub/gone.txt')
    expect(pathInRepository(top, join(top, 'sub'), '../..a')).toBe('..a')
    expect(pathInRepository(top, top, join(top, 'sub/x'))).toBe('sub/x')
  })

  test('is refused for the repository itself and for anything outside it', async () => {
    const top = await tempFolder()
    for (const file of ['.', '..', '../x', '/', join(top, '..', 'other')])
      expect(() => pathInRepository(top, top, file)).toThrow(invalid)
  })

  test('is that of a link itself, not of its target', async () => {
    const top = await tempFolder()
    symlinkSync('/etc', join(top, 'link'))
    expect(pathInRepository(top, top, 'link')).toBe('link')
    expect(() => pathInRepository(top, top, 'link/passwd')).toThrow(invalid)
  })
})

describe('the path on disk', () => {
  test('is below the top, as text if possible', async () => {
    const top = await tempFolder()
    expect(diskPath(top, 'a/größe')).toBe(join(top, 'a/größe'))
    expect(diskPath(top, gitPath('\xff'))).toEqual(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff])]))
  })

  test('is refused below a link, below a file, and inside the repository itself', async () => {
    const top = await tempFolder()
    symlinkSync('/etc', join(top, 'link'))
    writeFileSync(join(top, 'file'), '')
    for (const path of ['link/passwd', 'file/x', '.git/config', '../x', 'a/../../x'])
      expect(() => diskPath(top, path)).toThrow('is not a path in the repository')
    expect(diskPath(top, 'link')).toBe(join(top, 'link'))
  })
})
