import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { conflictsIn, resolvePart, type ConflictChoice } from './conflicts'
import { createKeptContent } from './kept'

async function fileWith(content: string | Buffer) {
  const top = await tempFolder()
  writeFileSync(join(top, 'a.txt'), content)
  return { top, gitDir: top, commonDir: top, bare: false }
}

const CONFLICT = (ours: string, theirs: string, end = '\n'): string =>
  [
    '<<<<<<< HEAD',
    ...(ours === '' ? [] : [ours]),
    '=======',
    ...(theirs === '' ? [] : [theirs]),
    '>>>>>>> fix/größe',
    '',
  ].join(end)

describe('the conflicts of a file', () => {
  test('have both sides with their names, and the line each starts at', async () => {
    const repository = await fileWith(`one\n${CONFLICT('ours', 'theirs')}two\n${CONFLICT('', 'only theirs')}`)
    expect(conflictsIn(repository, 'a.txt').parts).toEqual([
      { line: 2, ours: 'ours\n', theirs: 'theirs\n', oursName: 'HEAD', theirsName: 'fix/größe' },
      { line: 8, ours: '', theirs: 'only theirs\n', oursName: 'HEAD', theirsName: 'fix/größe' },
    ])
  })

  test('leave out the common ancestor', async () => {
    const repository = await fileWith('<<<<<<< a\nours\n||||||| base\nold\n=======\ntheirs\n>>>>>>> b\n')
    expect(conflictsIn(repository, 'a.txt').parts).toMatchObject([{ ours: 'ours\n', theirs: 'theirs\n' }])
  })

  test('are found in files with CRLF, and at the end of a file without a final line break', async () => {
    const repository = await fileWith(CONFLICT('ours', 'theirs', '\r\n').trimEnd())
    expect(conflictsIn(repository, 'a.txt').parts).toMatchObject([
      { ours: 'ours\r\n', theirs: 'theirs\r\n', theirsName: 'fix/größe' },
    ])
  })

  test('do not include lines that only look like markers', async () => {
    const repository = await fileWith('<<<<<<<< eight\n========\n=======\n a >>>>>>> b\n<<<<<<< open\n')
    expect(conflictsIn(repository, 'a.txt').parts).toEqual([])
  })

  test('are read in linear time when many start and none ends', async () => {
    const repository = await fileWith(`${'<<<<<<< a\n'.repeat(100_000)}=======\n||||||| b\n`)
    expect(conflictsIn(repository, 'a.txt').parts).toEqual([])
  })

  test('are not searched for in binary and missing files, which get a note', async () => {
    const repository = await fileWith(`\0${CONFLICT('a', 'b')}`)
    expect(conflictsIn(repository, 'a.txt')).toMatchObject({ parts: [], note: expect.stringContaining('binary') })
    expect(conflictsIn(repository, 'b.txt')).toMatchObject({ parts: [], note: expect.stringContaining('not in the') })
  })
})

describe('resolving a part', () => {
  async function resolved(content: string | Buffer, part: number, choice: ConflictChoice): Promise<string> {
    const repository = await fileWith(content)
    const kept = createKeptContent({ home: await tempFolder(), now: () => 1 })
    const { hash } = conflictsIn(repository, 'a.txt')
    const undo = await resolvePart(repository, { path: 'a.txt', part, choice, hash }, kept)
    const now = readFileSync(join(repository.top, 'a.txt'), 'latin1')
    kept.restore(repository, undo.kept!)
    expect(readFileSync(join(repository.top, 'a.txt'))).toEqual(Buffer.from(content))
    return now
  }

  test.each([
    ['ours', 'one\nours\ntwo\n'],
    ['theirs', 'one\ntheirs\ntwo\n'],
    ['both', 'one\nours\ntheirs\ntwo\n'],
  ] as const)('by %s leaves the rest of the file, and can be undone', async (choice, now) => {
    expect(await resolved(`one\n${CONFLICT('ours', 'theirs')}two\n`, 0, choice)).toBe(now)
  })

  test('keeps the other conflicts, and bytes that are not text', async () => {
    const first = CONFLICT('a', 'b')
    const content = Buffer.concat([Buffer.from([0xff]), Buffer.from(`\n${first}${CONFLICT('c', 'd')}`)])
    expect(await resolved(content, 1, 'theirs')).toBe(`\xff\n${Buffer.from(first).toString('latin1')}d\n`)
  })

  test('is refused when the file has changed since it was shown, or has no such conflict', async () => {
    const repository = await fileWith(CONFLICT('a', 'b'))
    const kept = createKeptContent({ home: await tempFolder(), now: () => 1 })
    const { hash } = conflictsIn(repository, 'a.txt')
    const choice = { path: 'a.txt', choice: 'ours', hash } as const
    await expect(resolvePart(repository, { ...choice, part: 1 }, kept)).rejects.toMatchObject({ code: 'git.not_found' })
    writeFileSync(join(repository.top, 'a.txt'), `more\n${CONFLICT('a', 'b')}`)
    await expect(resolvePart(repository, { ...choice, part: 0 }, kept)).rejects.toMatchObject({ code: 'git.changed' })
  })
})
