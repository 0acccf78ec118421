import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorktreeLab, type WorktreeLab } from '../../../../test/support/worktree-lab'
import type { MergeWay } from '../../../shared/model/project/worktree'

let lab: WorktreeLab
let project: string
beforeEach(() => {
  lab = createWorktreeLab()
  project = lab.repository('shop', { 'a.txt': 'one\n' })
})
afterEach(async () => {
  await lab.worktrees.close()
  lab.remove()
})

/** A worktree with a commit, and tags named like its branch and its base on the first commit. */
async function withTags(): Promise<{ worktreeId: string; folder: string; branch: string }> {
  lab.git(project, 'tag', 'main')
  const made = await lab.worktrees.create(project, { branch: 'fix' })
  lab.write(made.folder, { 'b.txt': 'two\n' })
  lab.git(made.folder, 'add', '.')
  lab.git(made.folder, 'commit', '--quiet', '-m', 'two')
  lab.git(project, 'tag', 'fix')
  return made
}

describe('if tags have the names of branches', () => {
  test.each<MergeWay>(['merge', 'squash', 'rebase'])('%s brings the commits of the branch', async (way) => {
    const { worktreeId } = await withTags()
    expect(await lab.worktrees.merge(worktreeId, { way })).toMatchObject({ state: 'done', into: 'main' })
    expect(lab.git(project, 'show', 'refs/heads/main:b.txt')).toBe('two\n')
    expect(lab.git(project, 'status', '--porcelain')).toBe('')
  })

  test('a removed worktree comes back on its branch', async () => {
    const { worktreeId, folder } = await withTags()
    lab.write(folder, { 'a.txt': 'changed\n' })
    await lab.worktrees.remove(worktreeId)
    await lab.worktrees.restore(worktreeId)
    expect(lab.git(folder, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/fix')
    expect(lab.git(project, 'for-each-ref', '--format=%(refname)', 'refs/heads').trim().split('\n')).toEqual([
      'refs/heads/fix',
      'refs/heads/main',
    ])
  })

  test('the current branch is pushed under its own name', async () => {
    const remote = join(lab.root, 'remote.git')
    lab.git(lab.root, 'init', '--quiet', '--bare', remote)
    lab.git(project, 'remote', 'add', 'origin', remote)
    lab.git(project, 'tag', 'main')
    await lab.trust(project)
    await lab.actions.push(project, {})
    expect(lab.git(remote, 'for-each-ref', '--format=%(refname)').trim()).toBe('refs/heads/main')
  })
})
