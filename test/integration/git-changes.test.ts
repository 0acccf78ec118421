import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findRepository } from '../../src/main/engine/git/run/find-repository'
import { openRepository } from '../../src/main/engine/git/repository/open-repository'
import { createRunGit } from '../../src/main/engine/git/run/run-git'
import { draftFrom, draftPrompt } from '../../src/main/engine/git/state/commit-draft'
import { createGitLab, labEnvironment, type GitLab } from '../support/git-lab'

let lab: GitLab
beforeEach(() => void (lab = createGitLab()))
afterEach(() => lab.remove())

const LINES = Array.from({ length: 40 }, (_, n) => `line ${n}\n`)
const text = (changes: Record<number, string> = {}): string => LINES.map((line, n) => changes[n] ?? line).join('')

it('stages one of two hunks byte for byte, and unstages it', async () => {
  const repo = lab.repository('hunks', { 'a.txt': text() })
  lab.write(repo, { 'a.txt': text({ 2: 'TWO \t\r\n', 35: 'THIRTY-FIVE\n' }) })
  const { hunks, byHunk } = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  expect({ count: hunks.length, byHunk }).toEqual({ count: 2, byHunk: true })
  await lab.actions.stageHunks(repo, { path: 'a.txt', hunkIds: [hunks[0]!.id] })
  expect(lab.git(repo, 'show', ':a.txt')).toBe(text({ 2: 'TWO \t\r\n' }))
  const staged = await lab.actions.diff(repo, { path: 'a.txt', side: 'staged' })
  await lab.actions.unstageHunks(repo, { path: 'a.txt', hunkIds: staged.hunks.map(({ id }) => id) })
  expect(lab.git(repo, 'show', ':a.txt')).toBe(text())
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(text({ 2: 'TWO \t\r\n', 35: 'THIRTY-FIVE\n' }))
})

it('stages a hunk without a line break at the end of the file', async () => {
  const repo = lab.repository('no-newline', { 'a.txt': `${text()}end` })
  lab.write(repo, { 'a.txt': `${text({ 1: 'x\n' })}END` })
  const { hunks } = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  await lab.actions.stageHunks(repo, { path: 'a.txt', hunkIds: [hunks[1]!.id] })
  expect(lab.git(repo, 'show', ':a.txt')).toBe(`${text()}END`)
})

it('reports when only the line ends of a file differ', async () => {
  const repo = lab.repository('line-ends', { 'to-crlf.txt': 'a\nb\n', 'to-lf.txt': 'a\r\nb\r\n', 'text.txt': 'a\nb\n' })
  lab.write(repo, { 'to-crlf.txt': 'a\r\nb\r\n', 'to-lf.txt': 'a\nb\n', 'text.txt': 'a\r\nB\r\n' })
  const note = async (path: string) => (await lab.actions.diff(repo, { path, side: 'unstaged' })).note
  expect(await note('to-crlf.txt')).toBe('Only line ends change: from LF to CRLF.')
  expect(await note('to-lf.txt')).toBe('Only line ends change: from CRLF to LF.')
  expect(await note('text.txt')).toBeUndefined()
})

it('refuses a hunk of a file that has changed since it was shown', async () => {
  const repo = lab.repository('stale', { 'a.txt': text() })
  lab.write(repo, { 'a.txt': text({ 2: 'two\n' }) })
  const { hunks } = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  lab.write(repo, { 'a.txt': text({ 2: 'TWO\n' }) })
  await expect(lab.actions.stageHunks(repo, { path: 'a.txt', hunkIds: [hunks[0]!.id] })).rejects.toMatchObject({
    code: 'git.changed',
  })
  expect(lab.git(repo, 'diff', '--cached')).toBe('')
})

it('discards a hunk and a file, keeps their content, and restores it', async () => {
  const repo = lab.repository('discard', { 'a.txt': text(), 'b.txt': 'b\n' })
  const changed = text({ 2: 'two\n', 35: 'five\n' })
  lab.write(repo, { 'a.txt': changed, 'b.txt': 'B\n', 'new/c.txt': 'new\n' })
  const { hunks } = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  const part = await lab.actions.discardHunks(repo, { path: 'a.txt', hunkIds: [hunks[1]!.id] })
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(text({ 2: 'two\n' }))
  const whole = await lab.actions.discard(repo, ['b.txt', 'new/c.txt'])
  expect(readFileSync(join(repo, 'b.txt'), 'utf8')).toBe('b\n')
  expect(existsSync(join(repo, 'new'))).toBe(false)
  expect((await lab.actions.kept(repo)).map(({ reason, paths }) => [reason, paths])).toEqual([
    ['Discarded', ['b.txt', 'new/c.txt']],
    ['Discarded a part', ['a.txt']],
  ])
  await lab.actions.restoreKept(repo, whole.kept!)
  await lab.actions.restoreKept(repo, part.kept!)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(changed)
  expect(readFileSync(join(repo, 'b.txt'), 'utf8')).toBe('B\n')
  expect(readFileSync(join(repo, 'new/c.txt'), 'utf8')).toBe('new\n')
})

it('keeps what a restore replaces', async () => {
  const repo = lab.repository('twice')
  lab.write(repo, { 'a.txt': 'mine\n' })
  const { kept } = await lab.actions.discard(repo, ['a.txt'])
  lab.write(repo, { 'a.txt': 'newer\n' })
  const again = await lab.actions.restoreKept(repo, kept!)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('mine\n')
  await lab.actions.restoreKept(repo, again.kept!)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('newer\n')
})

it('commits and amends with the message exactly as it was written', async () => {
  const repo = lab.repository('commit')
  lab.write(repo, { 'a.txt': 'two\n' })
  await lab.actions.stage(repo, ['a.txt'])
  const message = 'subject: "quoted" $(no shell)\n\n# not a comment\nhäí 👋'
  const { hash, subject } = await lab.actions.commit(repo, { message, amend: false })
  expect(lab.git(repo, 'log', '-1', '--format=%H%n%B').trim()).toBe(`${hash}\n${message}`)
  expect(subject).toBe('subject: "quoted" $(no shell)')
  await lab.actions.commit(repo, { message: 'better', amend: true })
  expect(lab.git(repo, 'log', '--format=%s').trim()).toBe('better\nfirst')
  expect(lab.git(repo, 'cat-file', '-t', hash).trim()).toBe('commit')
  expect(await lab.actions.lastMessage(repo)).toBe('better')
})

it('shows the output of a hook that fails, and commits nothing', async () => {
  const repo = lab.repository('hook')
  writeFileSync(join(repo, '.git/hooks/pre-commit'), '#!/bin/sh\necho "line 3: unused variable" >&2\nexit 7\n')
  chmodSync(join(repo, '.git/hooks/pre-commit'), 0o755)
  lab.write(repo, { 'a.txt': 'two\n' })
  await expect(lab.actions.stage(repo, 'all')).rejects.toMatchObject({ code: 'git.untrusted' })
  const { state, programs, hash } = await lab.actions.trustView(repo)
  expect({ state, programs }).toEqual({ state: 'asked', programs: ['hook pre-commit'] })
  expect(await lab.actions.trust(repo, hash)).toMatchObject({ state: 'trusted' })
  await lab.actions.stage(repo, 'all')
  await expect(lab.actions.commit(repo, { message: 'm', amend: false })).rejects.toMatchObject({
    code: 'git.hook',
    message: expect.stringContaining('pre-commit failed:\nline 3: unused variable'),
  })
  expect(lab.git(repo, 'rev-list', '--count', 'HEAD').trim()).toBe('1')
  lab.git(repo, 'reset', '-q')
  lab.write(repo, { 'new.txt': 'new\n', 'later.txt': 'later\n' })
  lab.git(repo, 'add', '--intent-to-add', 'later.txt')
  const before = lab.git(repo, 'status', '--porcelain')
  await expect(lab.actions.commit(repo, { message: 'm', amend: false, all: true })).rejects.toMatchObject({
    code: 'git.hook',
  })
  expect(lab.git(repo, 'status', '--porcelain')).toBe(before)
  lab.git(repo, 'add', '-A')
  writeFileSync(join(repo, '.git/hooks/pre-commit'), '#!/bin/sh\necho checked\n')
  await expect(lab.actions.commit(repo, { message: 'm', amend: false })).rejects.toMatchObject({
    code: 'git.untrusted',
  })
  await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
  expect(await lab.actions.commit(repo, { message: 'm', amend: false })).toMatchObject({
    hooks: ['pre-commit'],
    output: 'checked',
  })
})

it('says what to do without a name, with a lock, and without a repository', async () => {
  const unnamed = createGitLab({ settings: '[user]\n\tuseConfigOnly = true\n' })
  try {
    const repo = unnamed.repository('unnamed', {})
    unnamed.write(repo, { 'a.txt': 'a\n' })
    await unnamed.actions.stage(repo, 'all')
    await expect(unnamed.actions.commit(repo, { message: 'm', amend: false })).rejects.toMatchObject({
      code: 'git.identity',
    })
    writeFileSync(join(repo, '.git/index.lock'), '')
    await expect(unnamed.actions.stage(repo, 'all')).rejects.toMatchObject({ code: 'git.locked' })
    await expect(unnamed.actions.status(unnamed.root)).rejects.toMatchObject({ code: 'git.no_repository' })
    expect(await unnamed.actions.summary(unnamed.root)).toEqual({ state: 'none' })
    await unnamed.actions.init(unnamed.root)
    expect(await unnamed.actions.summary(unnamed.root)).toMatchObject({ state: 'ready', branch: 'main' })
  } finally {
    unnamed.remove()
  }
})

it('creates, renames, switches and deletes branches, and restores a deleted one', async () => {
  const repo = lab.repository('branches')
  await lab.actions.createBranch(repo, { name: 'topic', checkout: true })
  lab.write(repo, { 'b.txt': 'b\n' })
  await lab.actions.stage(repo, 'all')
  await lab.actions.commit(repo, { message: 'b', amend: false })
  await lab.actions.switch(repo, 'refs/heads/main')
  expect(existsSync(join(repo, 'b.txt'))).toBe(false)
  await expect(lab.actions.deleteBranch(repo, 'topic', false)).rejects.toMatchObject({ code: 'git.not_merged' })
  await expect(lab.actions.deleteBranch(repo, 'main', true)).rejects.toMatchObject({ code: 'git.in_use' })
  const { commit } = await lab.actions.deleteBranch(repo, 'topic', true)
  await lab.actions.createBranch(repo, { name: 'topic', from: commit, checkout: false })
  await lab.actions.renameBranch(repo, 'topic', 'feature/x')
  expect((await lab.actions.branches(repo)).map(({ name, current, subject }) => [name, current, subject])).toEqual(
    expect.arrayContaining([
      ['main', true, 'first'],
      ['feature/x', false, 'b'],
    ]),
  )
  for (const name of ['-x', 'a..b', '@{-1}', 'a b', 'x.lock', 'HEAD~1'])
    await expect(lab.actions.createBranch(repo, { name, checkout: false })).rejects.toMatchObject({
      code: 'git.bad_name',
    })
})

it('names a commit that no branch contains after switching, and only that', async () => {
  const repo = lab.repository('detached')
  const first = lab.git(repo, 'rev-parse', 'HEAD').trim()
  expect(await lab.actions.switch(repo, first)).toEqual({})
  lab.write(repo, { 'b.txt': 'b\n' })
  await lab.actions.stage(repo, 'all')
  const { hash } = await lab.actions.commit(repo, { message: 'on no branch', amend: false })
  expect(await lab.actions.switch(repo, 'refs/heads/main')).toEqual({ left: { hash, subject: 'on no branch' } })
  expect(await lab.actions.switch(repo, hash)).toEqual({})
  await lab.actions.createBranch(repo, { name: 'kept', checkout: false })
  expect(await lab.actions.switch(repo, 'refs/heads/main')).toEqual({})
})

it('never overwrites ignored files by switching, pulling or applying a stash', async () => {
  const repo = lab.repository('ignored', { '.gitignore': '*.log\n', 'a.txt': 'a\n' })
  await lab.actions.createBranch(repo, { name: 'logs', checkout: true })
  lab.write(repo, { 'x.log': 'tracked\n', 'deep/y.log': 'tracked\n' })
  lab.git(repo, 'add', '-f', '.')
  await lab.actions.commit(repo, { message: 'logs', amend: false })
  await lab.actions.switch(repo, 'refs/heads/main')
  lab.write(repo, { 'x.log': 'precious\n' })
  await expect(lab.actions.switch(repo, 'refs/heads/logs')).rejects.toMatchObject({
    code: 'git.would_overwrite',
    message: expect.stringContaining('x.log'),
  })
  expect(readFileSync(join(repo, 'x.log'), 'utf8')).toBe('precious\n')
})

it('stashes with new files, drops, restores and pops a stash', async () => {
  const repo = lab.repository('stash')
  lab.write(repo, { 'a.txt': 'two\n', 'new.txt': 'new\n' })
  const saved = await lab.actions.saveStash(repo, { message: 'half done', untracked: true })
  expect(saved.message).toBe('On main: half done')
  expect(existsSync(join(repo, 'new.txt'))).toBe(false)
  const dropped = await lab.actions.dropStash(repo, saved.hash)
  expect(await lab.actions.stashes(repo)).toEqual([])
  await lab.actions.restoreStash(repo, dropped)
  lab.write(repo, { 'new.txt': 'in the way\n' })
  await expect(lab.actions.applyStash(repo, saved.hash, true)).rejects.toMatchObject({ code: 'git.would_overwrite' })
  expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('in the way\n')
  await lab.actions.discard(repo, ['new.txt'])
  await lab.actions.applyStash(repo, saved.hash, true)
  expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('new\n')
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('two\n')
  expect(await lab.actions.stashes(repo)).toEqual([])
  const again = await lab.actions.saveStash(repo, { message: '', untracked: true })
  lab.write(repo, { 'a.txt': 'other\n' })
  lab.git(repo, 'commit', '-qam', 'other')
  await expect(lab.actions.applyStash(repo, again.hash, true)).rejects.toMatchObject({
    code: 'git.conflicts',
    message: expect.stringMatching(/CONFLICT.*\nThe stash is kept\.$/s),
  })
  expect(await lab.actions.stashes(repo)).toHaveLength(1)
  await expect(lab.actions.saveStash(lab.repository('clean'), { message: '', untracked: true })).rejects.toMatchObject({
    code: 'git.nothing',
  })
})

it('pulls, pushes, and overwrites a remote branch only if it has not changed since it was shown', async () => {
  const origin = lab.repository('origin', {}, ['--bare'])
  const one = lab.repository('one')
  lab.git(one, 'remote', 'add', 'origin', origin)
  await lab.trust(one)
  await lab.actions.push(one, {})
  const two = join(lab.root, 'two')
  lab.git(lab.root, 'clone', '-q', origin, two)
  await lab.trust(two)
  const change = async (repo: string, content: string): Promise<void> => {
    lab.write(repo, { 'a.txt': content })
    await lab.actions.stage(repo, 'all')
    await lab.actions.commit(repo, { message: content.trim(), amend: false })
  }
  await change(two, 'two\n')
  await lab.actions.push(two, {})
  await lab.actions.pull(one, 'fast-forward')
  expect(readFileSync(join(one, 'a.txt'), 'utf8')).toBe('two\n')
  await change(two, 'three\n')
  await lab.actions.push(two, {})
  lab.write(one, { 'b.txt': 'b\n' })
  await lab.actions.stage(one, 'all')
  await lab.actions.commit(one, { message: 'b', amend: false })
  await expect(lab.actions.push(one, {})).rejects.toMatchObject({ code: 'git.diverged' })
  await expect(lab.actions.pull(one, 'fast-forward')).rejects.toMatchObject({ code: 'git.diverged' })
  expect(await lab.actions.summary(one)).toMatchObject({ ahead: 1, behind: 1 })
  const seen = lab.git(one, 'rev-parse', 'origin/main').trim()
  await change(two, 'four\n')
  await lab.actions.push(two, {})
  await expect(lab.actions.push(one, { overwrites: seen })).rejects.toMatchObject({ code: 'git.diverged' })
  await lab.actions.pull(one, 'rebase')
  expect(lab.git(one, 'log', '--format=%s').trim()).toBe('b\nfour\nthree\ntwo\nfirst')
  await lab.actions.push(one, {})
  await lab.actions.commit(one, { message: 'reworded', amend: true })
  await lab.actions.push(one, { overwrites: lab.git(one, 'rev-parse', 'origin/main').trim() })
  expect(lab.git(origin, 'log', '-1', '--format=%s', 'main').trim()).toBe('reworded')
})

it('resolves conflicts part by part, takes sides, continues, and aborts without losing the work', async () => {
  const repo = lab.repository('conflict', { 'a.txt': text(), 'b.txt': 'b\n', 'c.txt': 'c\n' })
  lab.git(repo, 'switch', '-qc', 'other')
  lab.write(repo, { 'a.txt': text({ 2: 'theirs 2\n', 35: 'theirs 35\n' }), 'b.txt': 'theirs\n' })
  lab.git(repo, 'rm', '-q', 'c.txt')
  lab.git(repo, 'commit', '-qam', 'theirs')
  lab.git(repo, 'switch', '-q', 'main')
  lab.write(repo, { 'a.txt': text({ 2: 'ours 2\n', 35: 'ours 35\n' }), 'b.txt': 'ours\n', 'c.txt': 'ours\n' })
  lab.git(repo, 'commit', '-qam', 'ours')
  expect(() => lab.git(repo, 'merge', '-q', 'other')).toThrow(/Command failed/)
  const status = await lab.actions.status(repo)
  expect(status.operation).toEqual({ kind: 'merge' })
  expect(status.conflicts.map(({ path, what }) => [path, what])).toEqual([
    ['a.txt', 'changed by both'],
    ['b.txt', 'changed by both'],
    ['c.txt', 'deleted by them'],
  ])
  await expect(lab.actions.markResolved(repo, ['a.txt'])).rejects.toMatchObject({ code: 'git.conflicts' })
  await expect(lab.actions.continueOperation(repo)).rejects.toMatchObject({ code: 'git.conflicts' })
  const file = await lab.actions.conflictFile(repo, 'a.txt')
  expect(file.parts).toMatchObject([
    { line: 3, ours: 'ours 2\n', theirs: 'theirs 2\n', oursName: 'HEAD', theirsName: 'other' },
    { ours: 'ours 35\n', theirs: 'theirs 35\n' },
  ])
  const first = await lab.actions.resolvePart(repo, { path: 'a.txt', part: 0, choice: 'both', hash: file.hash })
  const { kept } = await lab.actions.abortOperation(repo)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(text({ 2: 'ours 2\n', 35: 'ours 35\n' }))
  expect(first.kept).toBeDefined()
  expect((await lab.actions.kept(repo)).find(({ id }) => id === kept)?.paths).toContain('a.txt')
  expect(() => lab.git(repo, 'merge', '-q', 'other')).toThrow(/Command failed/)
  const again = await lab.actions.conflictFile(repo, 'a.txt')
  await lab.actions.resolvePart(repo, { path: 'a.txt', part: 0, choice: 'both', hash: again.hash })
  const last = await lab.actions.conflictFile(repo, 'a.txt')
  await lab.actions.resolvePart(repo, { path: 'a.txt', part: 0, choice: 'theirs', hash: last.hash })
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(text({ 2: 'ours 2\ntheirs 2\n', 35: 'theirs 35\n' }))
  await lab.actions.markResolved(repo, ['a.txt'])
  await lab.actions.takeSide(repo, { path: 'b.txt', choice: 'theirs' })
  await lab.actions.takeSide(repo, { path: 'c.txt', choice: 'theirs' })
  await lab.actions.continueOperation(repo)
  expect(lab.git(repo, 'status', '--porcelain')).toBe('')
  expect(lab.git(repo, 'show', 'HEAD:b.txt')).toBe('theirs\n')
  expect(lab.git(repo, 'log', '-1', '--format=%P').trim().split(' ')).toHaveLength(2)
})

it('shows history, the files and diffs of a commit, and who changed each line', async () => {
  const repo = lab.repository('history', { 'a.txt': text(), 'old.txt': 'same\ncontent\nhere\n' })
  lab.git(repo, 'tag', 'v1')
  lab.git(repo, 'mv', 'old.txt', 'new.txt')
  lab.write(repo, { 'a.txt': text({ 5: 'five\n' }) })
  lab.git(repo, 'commit', '-qam', 'second\n\nbody')
  const { commits, more } = await lab.actions.log(repo, { all: false, skip: 0, limit: 1 })
  expect({ subjects: commits.map(({ subject }) => subject), more }).toEqual({ subjects: ['second'], more: true })
  expect(commits[0]!.refs).toEqual([
    { name: 'HEAD', kind: 'head' },
    { name: 'main', kind: 'branch' },
  ])
  const details = await lab.actions.commitDetails(repo, commits[0]!.hash)
  expect(details).toMatchObject({ message: 'second\n\nbody', author: 'Ada', hidden: 0 })
  expect(details.files).toEqual([
    { path: 'a.txt', kind: 'modified', added: 1, removed: 1 },
    { path: 'new.txt', kind: 'renamed', from: 'old.txt', added: 0, removed: 0 },
  ])
  const diff = await lab.actions.commitDiff(repo, { hash: commits[0]!.hash, path: 'a.txt' })
  expect(diff.hunks[0]!.text).toContain('-line 5\n+five\n')
  const first = await lab.actions.commitDetails(repo, commits[0]!.parents[0]!)
  expect(first.files.map(({ path, kind }) => [path, kind])).toEqual([
    ['a.txt', 'added'],
    ['old.txt', 'added'],
  ])
  lab.write(repo, { 'a.txt': text({ 5: 'five\n', 6: 'six\n' }) })
  const runs = await lab.actions.blame(repo, 'a.txt')
  expect(runs.map(({ line, count, subject, uncommitted }) => [line, count, uncommitted ?? subject])).toEqual([
    [1, 5, 'first'],
    [6, 1, 'second'],
    [7, 1, true],
    [8, 33, 'first'],
  ])
  expect((await lab.actions.log(repo, { all: false, path: 'new.txt', skip: 0, limit: 9 })).commits).toHaveLength(1)
})

it('describes changes to a model within limits, without possible secrets', async () => {
  const repo = lab.repository('draft', { '.env': 'TOKEN=old-secret\n', 'big.txt': 'x\n', 'a.txt': 'one\n' })
  lab.write(repo, { '.env': 'TOKEN=new-secret\n', 'a.txt': 'two\n' })
  for (let n = 0; n < 20; n += 1) lab.write(repo, { [`big${n}.txt`]: `${String(n).repeat(80)}\n`.repeat(200) })
  await lab.actions.stage(repo, 'all')
  const run = createRunGit({ env: () => labEnvironment(lab.root), neutralFolder: lab.home })
  const prompt = await draftPrompt(openRepository(findRepository(repo)!, run))
  expect(prompt).toContain('first')
  expect(prompt).toContain('-one\n+two')
  expect(prompt).toContain('.env')
  expect(prompt).not.toContain('secret')
  expect(prompt.length).toBeLessThan(30_000)
  expect(draftFrom('```\nsubject\n\nbody\n```')).toBe('subject\n\nbody')
})
