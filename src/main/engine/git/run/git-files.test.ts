import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { GitOperation } from '../../../../shared/model/project/git'
import { operationOf, readHead, readSmallFile } from './git-files'

async function gitDir(files: Record<string, string>): Promise<string> {
  const folder = await tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

describe('the operation in progress', () => {
  const cases: [what: string, files: Record<string, string>, operation: GitOperation | undefined][] = [
    ['nothing', { HEAD: '' }, undefined],
    ['a merge', { MERGE_HEAD: 'x' }, { kind: 'merge' }],
    ['a cherry-pick', { CHERRY_PICK_HEAD: 'x' }, { kind: 'cherry-pick' }],
    ['a revert', { REVERT_HEAD: 'x' }, { kind: 'revert' }],
    ['a bisect', { BISECT_LOG: '' }, { kind: 'bisect' }],
    [
      'an interactive rebase',
      { 'rebase-merge/head-name': 'refs/heads/fix/a\n', 'rebase-merge/msgnum': '2\n', 'rebase-merge/end': '5\n' },
      { kind: 'rebase', step: 2, steps: 5, branch: 'fix/a' },
    ],
    [
      'a rebase by patches',
      { 'rebase-apply/head-name': 'refs/heads/a\n', 'rebase-apply/next': '1\n', 'rebase-apply/last': '3\n' },
      { kind: 'rebase', step: 1, steps: 3, branch: 'a' },
    ],
    ['a rebase of a detached HEAD', { 'rebase-merge/head-name': 'detached HEAD\n' }, { kind: 'rebase' }],
    ['a rebase whose files are damaged', { 'rebase-merge/msgnum': 'x', 'rebase-merge/end': '' }, { kind: 'rebase' }],
    ['a rebase that stopped at a pick', { 'rebase-merge/x': '', CHERRY_PICK_HEAD: 'x' }, { kind: 'rebase' }],
    ['patches from mail', { 'rebase-apply/applying': '' }, { kind: 'am' }],
  ]
  test.each(cases)('is %s', async (_, files, operation) => {
    const folder = await gitDir(files)
    expect(operationOf({ top: folder, gitDir: folder, commonDir: folder, bare: false })).toEqual(operation)
  })
})

describe('what is checked out', () => {
  test.each([
    ['ref: refs/heads/main\n', { branch: 'main' }],
    ['ref: refs/heads/fix/größe\n', { branch: 'fix/größe' }],
    [`${'a'.repeat(40)}\n`, { commit: 'a'.repeat(40) }],
    [`${'b'.repeat(64)}\n`, { commit: 'b'.repeat(64) }],
    ['ref: refs/heads/evil\u001b[31m\n', {}],
    ['ref: refs/heads/evil\u202e\n', {}],
    ['ref: refs/heads/a b\n', {}],
    ['nothing\n', {}],
    ['', {}],
  ])('by %j is %j', async (text, head) => expect(readHead(await gitDir({ HEAD: text }))).toEqual(head))

  test('is read from a link, as in old repositories', async () => {
    const folder = await tempFolder()
    symlinkSync('refs/heads/old', join(folder, 'HEAD'))
    expect(readHead(folder)).toEqual({ branch: 'old' })
  })

  test('is unknown without HEAD', async () => expect(readHead(await tempFolder())).toEqual({}))
})

describe('a small file', () => {
  test('is read up to its limit, and not beyond', async () => {
    const folder = await gitDir({ a: '12345' })
    expect(readSmallFile(join(folder, 'a'), 5)).toBe('12345')
    expect(readSmallFile(join(folder, 'a'), 4)).toBeUndefined()
  })

  test.runIf(process.platform !== 'win32')('that is a folder, a pipe or missing does not block', async () => {
    const folder = await tempFolder()
    execFileSync('mkfifo', [join(folder, 'pipe')])
    for (const name of ['.', 'pipe', 'missing']) expect(readSmallFile(join(folder, name), 100)).toBeUndefined()
  })
})
