import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { required } from '../support/required'
import { contentOf } from '../support/git-lab'
import { createWorktreeLab, type WorktreeLab } from '../support/worktree-lab'

let lab: WorktreeLab
let project: string
beforeEach(() => {
  lab = createWorktreeLab()
  project = lab.repository('shop', {
    'a.txt': 'one\n',
    'sub/b.txt': 'two\n',
    '.gitignore': '.env\nnode_modules/\nnotes/\n',
  })
})
afterEach(async () => {
  await lab.worktrees.close()
  lab.remove()
})

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof CodedError ? error.code : String(error)),
  )
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')
const branchesOf = (): string[] =>
  lab.git(project, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').trim().split('\n')

describe('creating a worktree', () => {
  test('has the commit, a branch named after the message, and its own folder next to the home', async () => {
    const { folder, branch, worktreeId } = await lab.worktrees.create(project, { about: 'Please fix the Login form!' })
    expect(branch).toBe('trestle/fix-login-form')
    expect(folder).toBe(join(lab.root, '.trestle-worktrees', worktreeId))
    expect(read(folder, 'a.txt')).toBe('one\n')
    expect(await lab.worktrees.status(worktreeId)).toMatchObject({
      base: 'main',
      branch,
      ahead: 0,
      behind: 0,
      changed: 0,
    })
  })

  test('names are unique, even if one branch name conflicts with another', async () => {
    lab.git(project, 'branch', 'trestle/repair-door')
    const names = [
      await lab.worktrees.create(project, { about: 'repair the door' }),
      await lab.worktrees.create(project, { about: 'Repair door!' }),
    ]
    expect(names.map(({ branch }) => branch)).toEqual(['trestle/repair-door-2', 'trestle/repair-door-3'])
    expect(await codeOf(lab.worktrees.create(project, { branch: 'a..b' }))).toBe('git.bad_name')
    expect(await codeOf(lab.worktrees.create(project, { branch: 'main' }))).toBe('git.in_use')
    expect(await lab.worktrees.list()).toHaveLength(2)
  })

  test('copies .env and other listed files, but follows no link', async () => {
    writeFileSync(join(lab.root, 'secret'), 'outside')
    lab.write(project, { '.env': 'KEY=1\n', 'sub/.env.local': 'KEY=2\n', 'node_modules/x/.env': 'KEY=3\n' })
    symlinkSync(join(lab.root, 'secret'), join(project, '.env.link'))
    const { folder, notes } = await lab.worktrees.create(project, {})
    expect([read(folder, '.env'), read(folder, 'sub/.env.local')]).toEqual(['KEY=1\n', 'KEY=2\n'])
    expect([existsSync(join(folder, '.env.link')), existsSync(join(folder, 'node_modules'))]).toEqual([false, false])
    expect(notes.join('\n')).toContain('.env.link')
  })

  test('includes uncommitted changes only on request, and leaves them in the project', async () => {
    lab.write(project, { 'a.txt': 'changed\n', 'new.bin': Buffer.from([0, 255, 10, 13, 10]) })
    rmSync(join(project, 'sub/b.txt'))
    lab.git(project, 'add', 'a.txt')
    const before = contentOf(project)
    const plain = await lab.worktrees.create(project, {})
    expect(read(plain.folder, 'a.txt')).toBe('one\n')
    const { folder, notes } = await lab.worktrees.create(project, { changes: true })
    expect(read(folder, 'a.txt')).toBe('changed\n')
    expect(readFileSync(join(folder, 'new.bin'))).toEqual(Buffer.from([0, 255, 10, 13, 10]))
    expect(existsSync(join(folder, 'sub/b.txt'))).toBe(false)
    expect(notes.join('\n')).toContain('3 uncommitted files were copied')
    expect(contentOf(project)).toEqual(before)
    expect(lab.git(project, 'diff', '--cached', '--name-only')).toBe('a.txt\n')
  })

  test('a session in a folder of the repository works in the same folder of the worktree', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(join(project, 'sub'), {})
    expect(folder).toBe(join(lab.root, '.trestle-worktrees', worktreeId, 'sub'))
    expect(required((await lab.worktrees.list())[0], 'the worktree').project).toBe(join(project, 'sub'))
  })

  test('explains why it is impossible: no repository, no commit, a hostile repository', async () => {
    mkdirSync(join(lab.root, 'plain'))
    expect(await codeOf(lab.worktrees.create(join(lab.root, 'plain'), {}))).toBe('git.no_repository')
    const empty = lab.repository('empty', {})
    expect(await codeOf(lab.worktrees.create(empty, {}))).toBe('worktree.no_commit')
    const hostile = lab.repository('hostile')
    lab.write(hostile, { '.git/hooks/post-checkout': '#!/bin/sh\ntouch "$HOME/pwned"\n' })
    lab.git(hostile, 'config', 'core.fsmonitor', 'touch "$HOME/pwned"; false')
    chmodSync(join(hostile, '.git/hooks/post-checkout'), 0o755)
    expect(await codeOf(lab.worktrees.create(hostile, {}))).toBe('git.untrusted')
    expect((await lab.worktrees.offer(hostile)).problem).toContain('core.fsmonitor')
    expect(existsSync(join(lab.root, 'user', 'pwned'))).toBe(false)
    expect(await lab.worktrees.list()).toEqual([])
  })
})

describe('the setup command', () => {
  test('runs in the new worktree, shows its output, and keeps the worktree when it fails', async () => {
    lab.settings.worktree = { ...lab.settings.worktree, setup: 'echo preparing "$TRESTLE_PROJECT"; touch made; exit 3' }
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    await lab.worktrees.prepared(folder, new AbortController().signal)
    expect((await lab.worktrees.status(worktreeId)).setup).toMatchObject({ state: 'failed', exitCode: 3 })
    expect((await lab.worktrees.status(worktreeId)).setup?.output).toContain(`preparing ${project}`)
    expect(existsSync(join(folder, 'made'))).toBe(true)
    expect(lab.told.at(-1)?.body).toContain('exit code 3')
  })

  test('does not run if the project is not trusted', async () => {
    lab.settings.worktree = { ...lab.settings.worktree, setup: 'touch made' }
    lab.settings.trusted = false
    const { folder, notes } = await lab.worktrees.create(project, {})
    await lab.worktrees.prepared(folder, new AbortController().signal)
    expect(notes.join('')).toContain('not trusted')
    expect(existsSync(join(folder, 'made'))).toBe(false)
  })
})

describe('removing and restoring', () => {
  test('saves changed, staged, new, binary and ignored files as a patch for git, and restores all of them', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { about: 'work' })
    lab.write(folder, { 'a.txt': 'staged\n' })
    lab.git(folder, 'add', 'a.txt')
    lab.write(folder, {
      'a.txt': 'later\r\nmixed\n',
      'new file "x"\n.txt': 'new',
      bin: Buffer.from([0, 1, 2, 255, 13, 10]),
      'notes/plan.md': 'ignored but mine',
      'node_modules/m/index.js': 'rebuilt',
    })
    rmSync(join(folder, 'sub/b.txt'))
    symlinkSync('a.txt', join(folder, 'link'))
    const before = contentOf(folder)
    const removed = await lab.worktrees.remove(worktreeId)
    expect(existsSync(folder)).toBe(false)
    expect(removed.removed).toMatchObject({ files: 6, dropped: ['node_modules'] })
    const patch = required(removed.removed?.patch, 'the patch')
    expect(lab.told.at(-1)?.body).toContain(patch)
    expect(lab.git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)

    const other = lab.repository('other', {
      'a.txt': 'one\n',
      'sub/b.txt': 'two\n',
      '.gitignore': '.env\nnode_modules/\nnotes/\n',
    })
    lab.git(other, 'apply', '--binary', patch)
    before.delete('node_modules/m/index.js')
    expect(contentOf(other)).toEqual(before)

    await lab.worktrees.restore(worktreeId)
    expect(contentOf(folder)).toEqual(before)
    expect(lab.git(folder, 'show', ':a.txt')).toBe('staged\n')
    expect(await lab.worktrees.status(worktreeId)).toMatchObject({ state: 'ready', branch: 'trestle/work' })
  })

  test('deletes the branch only if another has its commits, and restores it', async () => {
    const merged = await lab.worktrees.create(project, { branch: 'merged' })
    const own = await lab.worktrees.create(project, { branch: 'own' })
    lab.write(own.folder, { 'c.txt': 'c' })
    lab.git(own.folder, 'add', '-A')
    lab.git(own.folder, 'commit', '-qm', 'only here')
    await lab.worktrees.remove(merged.worktreeId)
    await lab.worktrees.remove(own.worktreeId)
    expect(branchesOf()).toEqual(['main', 'own'])
    await lab.worktrees.restore(merged.worktreeId)
    expect(branchesOf()).toEqual(['main', 'merged', 'own'])
  })

  test('keeps commits that only the reflog of the worktree refers to', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'c.txt': 'amended away' })
    lab.git(folder, 'add', '-A')
    lab.git(folder, 'commit', '-qm', 'first try')
    const lost = lab.git(folder, 'rev-parse', 'HEAD').trim()
    lab.git(folder, 'reset', '-q', '--hard', 'HEAD~1')
    await lab.worktrees.remove(worktreeId)
    lab.git(project, 'gc', '-q', '--prune=now')
    expect(lab.git(project, 'show', `${lost}:c.txt`)).toBe('amended away')
    await lab.worktrees.purge(worktreeId)
    expect(lab.git(project, 'for-each-ref', 'refs/trestle')).toBe('')
  })

  test('restores from the patch if the repository no longer has the saved objects', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'changed\n', 'n.bin': Buffer.from([0, 7]) })
    const before = contentOf(folder)
    await lab.worktrees.remove(worktreeId)
    for (const ref of lab.git(project, 'for-each-ref', '--format=%(refname)', 'refs/trestle').trim().split('\n'))
      lab.git(project, 'update-ref', '-d', ref)
    lab.git(project, 'reflog', 'expire', '--expire=now', '--all')
    lab.git(project, 'gc', '-q', '--prune=now')
    await lab.worktrees.restore(worktreeId)
    expect(contentOf(folder)).toEqual(before)
  })

  test('a branch that has moved on is left alone', async () => {
    const { folder, worktreeId, branch } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'c.txt': '1' })
    lab.git(folder, 'add', '-A')
    lab.git(folder, 'commit', '-qm', 'one')
    await lab.worktrees.remove(worktreeId)
    lab.git(project, 'checkout', '-q', branch)
    await lab.worktrees.restore(worktreeId)
    expect((await lab.worktrees.status(worktreeId)).branch).toBe('w-restored')
    expect(lab.git(project, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('w')
  })

  test('a patch that cannot be written removes nothing', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'precious\n' })
    const before = contentOf(folder)
    // Folders in place of the patch file, for any second.
    for (let second = 0; second < 60; second += 1) {
      const time = new Date(lab.time() + second * 1_000).toISOString().replaceAll(/[:.]/g, '-')
      mkdirSync(join(lab.home, 'worktrees', `${worktreeId}-${time}.patch.tmp`))
    }
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.not_saved')
    expect(contentOf(folder)).toEqual(before)
    expect((await lab.worktrees.status(worktreeId)).state).toBe('ready')
  })

  test('leaves worktrees alone that are locked, moved, missing, in use, or not created by Trestle', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'mine\n' })
    lab.git(project, 'worktree', 'lock', '--reason', 'on a disk', folder)
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.locked')
    lab.git(project, 'worktree', 'unlock', folder)
    lab.running.command = 'npm run dev'
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.busy')
    delete lab.running.command
    const nested = join(folder, 'vendor')
    mkdirSync(nested, { recursive: true })
    lab.git(nested, 'init', '-q')
    lab.write(nested, { x: 'x' })
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.nested')
    rmSync(nested, { recursive: true })
    const moved = join(lab.root, 'moved')
    lab.git(project, 'worktree', 'move', folder, moved)
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.missing')
    expect(read(moved, 'a.txt')).toBe('mine\n')
    lab.git(project, 'worktree', 'move', moved, folder)
    const before = contentOf(folder)
    renameSync(project, `${project}-away`)
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.no_project')
    renameSync(`${project}-away`, project)
    expect(contentOf(folder)).toEqual(before)
    await lab.worktrees.remove(worktreeId)
    mkdirSync(folder)
    lab.write(folder, { 'hand.txt': 'made by hand' })
    expect(await codeOf(lab.worktrees.restore(worktreeId))).toBe('worktree.taken')
    expect(read(folder, 'hand.txt')).toBe('made by hand')
  })

  test('the next process completes the unfinished work of a crashed one', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'mine\n' })
    const record = join(lab.home, 'worktrees', `${worktreeId}.json`)
    writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), state: 'removing' }))
    renameSync(folder, join(lab.root, '.trestle-worktrees', `.removing-${worktreeId}`))
    const next = lab.again()
    expect(await next.list()).toMatchObject([{ worktreeId, state: 'ready' }])
    expect(read(folder, 'a.txt')).toBe('mine\n')
  })

  test('the next process removes the merge checkout of a crashed one', async () => {
    await lab.worktrees.create(project, { branch: 'w' })
    const folders = join(lab.root, '.trestle-worktrees')
    const [left, early, young] = ['0123456789ab', 'aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((id) =>
      join(folders, `.merging-${id}`),
    ) as [string, string, string]
    lab.git(project, 'worktree', 'add', '-q', '--detach', left)
    lab.write(left, { 'half.txt': 'half of a merge\n' })
    // Killed before git made it a working tree; the new one may belong to another process.
    const index = join(lab.home, 'worktrees', 'temporary', 'index-0123456789ab')
    mkdirSync(dirname(index), { recursive: true })
    writeFileSync(index, '')
    for (const folder of [early, young, join(folders, '.merging-mine')]) mkdirSync(folder)
    const longAgo = (lab.time() - 2 * 24 * 60 * 60_000) / 1000
    for (const path of [early, index, join(folders, '.merging-mine')]) utimesSync(path, longAgo, longAgo)
    utimesSync(young, lab.time() / 1000, lab.time() / 1000)
    await lab.again().list()
    expect([left, early, index].filter((path) => existsSync(path))).toEqual([])
    expect(existsSync(young)).toBe(true)
    expect(existsSync(join(folders, '.merging-mine'))).toBe(true)
    expect(lab.git(project, 'worktree', 'list')).not.toContain('.merging-')
    expect(lab.told).toEqual([])
  })
})

describe('merging', () => {
  async function withCommit(branch: string, files: Record<string, string>) {
    const made = await lab.worktrees.create(project, { branch })
    lab.write(made.folder, files)
    return made
  }

  test.each(['merge', 'squash', 'rebase'] as const)(
    '%s puts the work into the base, where its checkout is clean',
    async (way) => {
      const { worktreeId } = await withCommit('w', { 'c.txt': 'c\n' })
      expect(await codeOf(lab.worktrees.merge(worktreeId, { way }))).toBe('worktree.dirty')
      lab.write(project, { 'd.txt': 'd\n' })
      lab.git(project, 'add', '-A')
      lab.git(project, 'commit', '-qm', 'meanwhile')
      lab.write(project, { 'untracked.txt': 'stays\n' })
      expect(await lab.worktrees.merge(worktreeId, { way, commit: 'Add c' })).toMatchObject({
        state: 'done',
        into: 'main',
      })
      expect([read(project, 'c.txt'), read(project, 'd.txt'), read(project, 'untracked.txt')]).toEqual([
        'c\n',
        'd\n',
        'stays\n',
      ])
      expect(lab.git(project, 'log', '--format=%P', '-1').trim().split(' ')).toHaveLength(way === 'merge' ? 2 : 1)
      expect(lab.git(project, 'status', '--porcelain')).toBe('?? untracked.txt\n')
      expect(await lab.worktrees.merge(worktreeId, { way })).toEqual({ state: 'nothing' })
    },
  )

  test.each(['merge', 'squash', 'rebase'] as const)(
    '%s leaves the checkout alone when it is on another branch',
    async (way) => {
      const { worktreeId } = await withCommit('w', { 'a.txt': 'better\n' })
      lab.git(project, 'checkout', '-q', '-b', 'elsewhere')
      lab.write(project, { 'a.txt': 'in progress\n' })
      const before = contentOf(project)
      expect(await lab.worktrees.merge(worktreeId, { way, commit: 'Better' })).toMatchObject({ state: 'done' })
      expect(lab.git(project, 'show', 'main:a.txt')).toBe('better\n')
      expect(contentOf(project)).toEqual(before)
      expect(lab.git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(2)
    },
  )

  test('refuses if the base has uncommitted changes in its checkout, or an ignored file would be overwritten', async () => {
    const { worktreeId } = await withCommit('w', { 'notes.txt': 'n\n' })
    lab.write(project, { 'a.txt': 'in progress\n' })
    expect(await codeOf(lab.worktrees.merge(worktreeId, { way: 'merge', commit: 'x' }))).toBe('worktree.base_dirty')
    lab.git(project, 'checkout', '-q', 'a.txt')
    lab.write(project, { '.git/info/exclude': 'notes.txt\n', 'notes.txt': 'ignored and precious\n' })
    expect(await codeOf(lab.worktrees.merge(worktreeId, { way: 'merge' }))).toBe('git.would_overwrite')
    expect(read(project, 'notes.txt')).toBe('ignored and precious\n')
  })

  test.each(['merge', 'squash', 'rebase'] as const)(
    '%s with conflicts names the files and leaves everything as it was',
    async (way) => {
      const { worktreeId, folder } = await withCommit('w', { 'a.txt': 'theirs\n' })
      lab.git(folder, 'commit', '-qam', 'theirs')
      lab.write(project, { 'a.txt': 'ours\n' })
      lab.git(project, 'commit', '-qam', 'ours')
      const before = [contentOf(project), contentOf(folder), lab.git(project, 'show-ref')]
      expect(await lab.worktrees.merge(worktreeId, { way })).toEqual({
        state: 'conflicts',
        files: ['a.txt'],
        kept: false,
      })
      expect([contentOf(project), contentOf(folder), lab.git(project, 'show-ref')]).toEqual(before)
      expect((await lab.worktrees.status(worktreeId)).operation).toBeUndefined()
    },
  )

  test('commits everything, and keeps what was staged if the file has changed since', async () => {
    const { worktreeId, folder } = await withCommit('w', { 'c.txt': 'staged\n' })
    lab.git(folder, 'add', '-A')
    lab.write(folder, { 'c.txt': 'newer\n' })
    await lab.worktrees.merge(worktreeId, { way: 'squash', commit: 'Add c' })
    expect(read(project, 'c.txt')).toBe('newer\n')
    expect(lab.git(project, 'show', `refs/trestle/worktrees/${worktreeId}:c.txt`)).toBe('staged\n')
  })

  test('conflicts can be resolved in the worktree and then merged', async () => {
    const { worktreeId, folder } = await withCommit('w', { 'a.txt': 'theirs\n' })
    lab.git(folder, 'commit', '-qam', 'theirs')
    lab.write(project, { 'a.txt': 'ours\n' })
    lab.git(project, 'commit', '-qam', 'ours')
    const update = await lab.worktrees.update(worktreeId, { way: 'merge', keepConflicts: true })
    expect(update).toEqual({ state: 'conflicts', files: ['a.txt'], kept: true })
    expect(await lab.worktrees.status(worktreeId)).toMatchObject({ operation: 'merge', conflicts: ['a.txt'] })
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.operation')
    lab.write(folder, { 'a.txt': 'both\n' })
    lab.git(folder, 'commit', '-qam', 'resolved')
    expect(await lab.worktrees.merge(worktreeId, { way: 'merge' })).toMatchObject({ state: 'done' })
    expect(read(project, 'a.txt')).toBe('both\n')
  })

  test('an update brings the commits of the base', async () => {
    const { worktreeId, folder } = await withCommit('w', { 'c.txt': 'c' })
    lab.write(project, { 'd.txt': 'd' })
    lab.git(project, 'add', '-A')
    lab.git(project, 'commit', '-qm', 'meanwhile')
    expect((await lab.worktrees.status(worktreeId)).behind).toBe(1)
    expect(await lab.worktrees.update(worktreeId, { way: 'rebase', commit: 'c' })).toMatchObject({ state: 'done' })
    expect(await lab.worktrees.status(worktreeId)).toMatchObject({ ahead: 1, behind: 0 })
    expect(existsSync(join(folder, 'd.txt'))).toBe(true)
  })
})
