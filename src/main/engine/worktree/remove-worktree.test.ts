import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { labEnvironment } from '../../../../test/support/git-lab'
import { required } from '../../../../test/support/required'
import { createWorktreeLab, type WorktreeLab } from '../../../../test/support/worktree-lab'
import { readWorktree, writeWorktree } from '../config/worktree-record'
import { asideOf, removeWorktree } from './remove-worktree'
import { createWorktreePlace, type WorktreePlace } from './worktree-place'

let lab: WorktreeLab
let project: string
beforeEach(() => {
  lab = createWorktreeLab()
  project = lab.repository('shop', { 'a.txt': 'one\n', 'b.txt': 'two\n' })
})
afterEach(async () => {
  await lab.worktrees.close()
  lab.remove()
})

const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')

/** Calls `now` while a worktree is being saved. */
function placeWith(now: () => number): WorktreePlace {
  const home = realpathSync(lab.home)
  return createWorktreePlace({ home, now, env: async () => labEnvironment(lab.root), log: () => {} })
}

describe('a removal that fails', () => {
  test('puts the files back even if a program has recreated the folder', async () => {
    const { worktreeId, folder } = await lab.worktrees.create(project, { branch: 'fix' })
    lab.write(folder, { 'new.txt': 'the only copy' })
    const record = required(readWorktree(realpathSync(lab.home), worktreeId), 'a record')
    const place = placeWith(() => {
      mkdirSync(folder)
      writeFileSync(join(folder, 'watcher.log'), 'from a program')
      throw new Error('The disk is gone.')
    })
    await expect(removeWorktree(place, record)).rejects.toThrow('The disk is gone.')
    expect(read(folder, 'new.txt')).toBe('the only copy')
    expect(lab.git(folder, 'status', '--porcelain')).toBe('?? new.txt\n')
    expect((await lab.worktrees.status(worktreeId)).state).toBe('ready')
    const besides = readdirSync(dirname(folder)).filter((name) => name !== worktreeId)
    expect(besides.map((name) => read(dirname(folder), join(name, 'watcher.log')))).toEqual(['from a program'])
  })

  test('puts the files back at the next start if its process died', async () => {
    const { worktreeId, folder } = await lab.worktrees.create(project, { branch: 'fix' })
    lab.write(folder, { 'new.txt': 'the only copy' })
    const home = realpathSync(lab.home)
    const record = required(readWorktree(home, worktreeId), 'a record')
    // The state after a process died while saving the files.
    writeWorktree(home, { ...record, state: 'removing' })
    renameSync(folder, asideOf(record))
    lab.write(folder, { 'watcher.log': 'from a program' })
    const next = lab.again()
    expect((await next.list()).map(({ state }) => state)).toEqual(['ready'])
    expect(read(folder, 'new.txt')).toBe('the only copy')
    expect(existsSync(asideOf(record))).toBe(false)
    await next.close()
  })

  test('is completed at the next start if everything was saved', async () => {
    const { worktreeId, folder } = await lab.worktrees.create(project, { branch: 'fix' })
    lab.write(folder, { 'new.txt': 'saved' })
    const home = realpathSync(lab.home)
    const removed = await removeWorktree(placeWith(Date.now), required(readWorktree(home, worktreeId), 'a record'))
    // The process died before it deleted the folder, and a program has recreated it.
    mkdirSync(asideOf(removed))
    lab.write(folder, { 'watcher.log': 'from a program' })
    const next = lab.again()
    expect((await next.list()).map(({ state }) => state)).toEqual(['removed'])
    expect(existsSync(asideOf(removed))).toBe(false)
    expect(lab.git(project, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1)
    await next.close()
  })
})

describe('a worktree with conflicts of a stash', () => {
  test('comes back with its files, and without changes that were never staged', async () => {
    const { worktreeId, folder } = await lab.worktrees.create(project, { branch: 'fix' })
    lab.write(folder, { 'a.txt': 'mine\n' })
    lab.git(folder, 'stash', '--quiet')
    lab.write(folder, { 'a.txt': 'theirs\n' })
    lab.git(folder, 'commit', '--quiet', '-am', 'theirs')
    expect(() => lab.git(folder, 'stash', 'apply')).toThrow('stash apply')
    const conflicted = read(folder, 'a.txt')
    expect(conflicted).toContain('<<<<<<<')
    await lab.worktrees.remove(worktreeId)
    await lab.worktrees.restore(worktreeId)
    expect(read(folder, 'a.txt')).toBe(conflicted)
    expect(lab.git(folder, 'diff', '--cached', '--name-only')).toBe('')
    expect(lab.git(folder, 'status', '--porcelain')).toBe(' M a.txt\n')
  })
})
