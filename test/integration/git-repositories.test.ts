import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gitPathText } from '../../src/shared/model/project/git'
import { contentOf, createGitLab, type GitLab } from '../support/git-lab'

let lab: GitLab
beforeEach(() => void (lab = createGitLab()))
afterEach(() => lab.remove())

/** The status in short form. */
async function changesOf(repo: string): Promise<string[]> {
  const { staged, unstaged, conflicts } = await lab.actions.status(repo)
  return [
    ...staged.map(
      ({ kind, path, from }) => `staged ${kind} ${gitPathText(path)}${from === undefined ? '' : ` < ${from}`}`,
    ),
    ...unstaged.map(({ kind, path }) => `${kind} ${gitPathText(path)}`),
    ...conflicts.map(({ what, path }) => `${what} ${gitPathText(path)}`),
  ]
}

async function commitAll(repo: string, message = 'change'): Promise<void> {
  await lab.actions.stage(repo, 'all')
  await lab.actions.commit(repo, { message, amend: false })
}

/**
 * Discards everything, checks that the tree is clean, restores everything, and compares every byte. Returns the number
 * of files.
 */
async function discardAndRestore(repo: string): Promise<number> {
  const before = contentOf(repo)
  const { unstaged } = await lab.actions.status(repo)
  const { kept } = await lab.actions.discard(
    repo,
    unstaged.map(({ path }) => path),
  )
  expect((await lab.actions.status(repo)).unstaged).toEqual([])
  if (kept !== undefined) await lab.actions.restoreKept(repo, kept)
  for (const [path, hash] of before) expect([path, contentOf(repo).get(path)]).toEqual([path, hash])
  return before.size
}

test('1: a detached HEAD has a commit and no branch, and cannot be pushed', async () => {
  const repo = lab.repository('r')
  lab.git(repo, 'switch', '-q', '--detach')
  const status = await lab.actions.status(repo)
  expect(status.branch).toBeUndefined()
  expect(status.commit).toBe(lab.git(repo, 'rev-parse', 'HEAD').trim())
  await expect(lab.actions.push(repo, {})).rejects.toMatchObject({ code: 'git.no_upstream' })
  lab.write(repo, { 'a.txt': 'detached\n' })
  await commitAll(repo)
  await lab.actions.createBranch(repo, { name: 'kept', checkout: true })
  expect(await lab.actions.summary(repo)).toMatchObject({ branch: 'kept', changed: 0 })
})

test('2: a bare repository shows its history, and 3: its worktrees are repositories of their own', async () => {
  const source = lab.repository('source')
  const bare = join(lab.root, 'bare.git')
  lab.git(lab.root, 'clone', '-q', '--bare', source, bare)
  lab.git(bare, 'remote', 'remove', 'origin')
  expect(await lab.actions.status(bare)).toMatchObject({ bare: true, branch: 'main', staged: [], unstaged: [] })
  expect((await lab.actions.log(bare, { all: true, skip: 0, limit: 9 })).commits).toHaveLength(1)
  const tree = join(lab.root, 'tree')
  lab.git(bare, 'worktree', 'add', '-q', '-b', 'work', tree)
  lab.write(tree, { 'a.txt': 'two\n' })
  await commitAll(tree)
  expect(lab.git(bare, 'log', '-1', '--format=%s', 'work').trim()).toBe('change')
  const other = join(lab.root, 'other')
  lab.git(bare, 'worktree', 'add', '-q', '-b', 'more', other)
  await expect(lab.actions.switch(other, 'refs/heads/work')).rejects.toMatchObject({ code: 'git.in_use' })
  expect((await lab.actions.branches(other)).find(({ name }) => name === 'work')?.worktree).toBe(tree)
})

test('4: submodules are shown with what is changed in them, and never entered by git itself', async () => {
  const inner = lab.repository('inner')
  const repo = lab.repository('r')
  lab.git(repo, 'submodule', '--quiet', 'add', inner, 'sub')
  lab.git(repo, 'commit', '-qm', 'sub')
  lab.write(join(repo, 'sub'), { 'a.txt': 'dirty\n' })
  lab.write(join(repo, 'sub'), { 'new/b.txt': 'new\n', 'c.txt': 'new\n' })
  expect(await lab.actions.status(repo)).toMatchObject({
    hasSubmodules: true,
    unstaged: [],
    submodules: [{ path: 'sub', changed: 1, untracked: 2 }],
  })
  lab.git(join(repo, 'sub'), 'add', '--all')
  lab.git(join(repo, 'sub'), 'commit', '-qam', 'inside')
  const { unstaged, submodules } = await lab.actions.status(repo)
  expect(submodules).toBeUndefined()
  expect(unstaged).toEqual([{ path: 'sub', kind: 'modified', submodule: true }])
  expect((await lab.actions.diff(repo, { path: 'sub', side: 'unstaged' })).byHunk).toBe(false)
  await expect(lab.actions.discard(repo, ['sub'])).rejects.toMatchObject({ code: 'git.nothing' })
  // The remote is a folder.
  expect(await lab.actions.summary(join(repo, 'sub'))).toMatchObject({ state: 'untrusted', branch: 'main' })
  await lab.trust(join(repo, 'sub'))
  expect(await lab.actions.summary(join(repo, 'sub'))).toMatchObject({ state: 'ready', changed: 0 })
  lab.write(join(repo, 'sub'), { 'a.txt': 'three\n' })
  await commitAll(join(repo, 'sub'))
  expect(lab.git(join(repo, 'sub'), 'status', '--porcelain')).toBe('')
})

test('5: LFS pointers stay pointers where LFS is not installed', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'
  const repo = lab.repository('r', {
    '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    'a.bin': pointer,
  })
  expect(await lab.actions.status(repo)).toMatchObject({ lfs: true })
  lab.write(repo, { 'a.bin': pointer.replace('12345', '99') })
  await discardAndRestore(repo)
  await commitAll(repo)
  expect(lab.git(repo, 'show', 'HEAD:a.bin')).toBe(pointer.replace('12345', '99'))
})

test('6: a sparse checkout keeps what is not checked out', async () => {
  const repo = lab.repository('r', { 'in/a.txt': 'a\n', 'out/b.txt': 'b\n' })
  lab.git(repo, 'sparse-checkout', 'set', 'in')
  expect(existsSync(join(repo, 'out'))).toBe(false)
  expect(await lab.actions.status(repo)).toMatchObject({ sparse: true, unstaged: [], staged: [] })
  lab.write(repo, { 'in/a.txt': 'A\n' })
  await commitAll(repo)
  expect(lab.git(repo, 'ls-tree', '-r', '--name-only', 'HEAD').trim()).toBe('in/a.txt\nout/b.txt')
})

test('7: a shallow clone says so, and commits and pushes', async () => {
  const origin = lab.repository('origin')
  lab.write(origin, { 'a.txt': 'two\n' })
  lab.git(origin, 'commit', '-qam', 'second')
  lab.git(origin, 'switch', '-qc', 'elsewhere')
  const repo = join(lab.root, 'shallow')
  lab.git(lab.root, 'clone', '-q', '--depth=1', '--branch=main', `file://${origin}`, repo)
  await lab.trust(repo)
  expect(await lab.actions.status(repo)).toMatchObject({ shallow: true, ahead: 0, behind: 0 })
  lab.write(repo, { 'a.txt': 'three\n' })
  await commitAll(repo)
  await lab.actions.push(repo, {})
  expect(lab.git(origin, 'log', '-1', '--format=%s', 'main').trim()).toBe('change')
})

test('8: 20,000 commits are paged without reading all of them', async () => {
  const repo = lab.repository('r', {})
  const stream = Array.from(
    { length: 20_000 },
    (_, n) =>
      `commit refs/heads/main\ncommitter A <a@b> ${1_600_000_000 + n} +0000\ndata 7\nc${String(n).padStart(6, '0')}\n`,
  ).join('')
  lab.write(lab.root, { stream })
  lab.git(repo, '-c', 'core.pager=cat', 'config', 'gc.auto', '0')
  execFileSync('git', ['-C', repo, 'fast-import', '--quiet'], { input: stream })
  const started = performance.now()
  const page = await lab.actions.log(repo, { all: true, skip: 0, limit: 200 })
  process.stdout.write(`first page of 20,000 commits: ${(performance.now() - started).toFixed(0)} ms\n`)
  expect(page.commits.map(({ subject }) => subject).slice(0, 2)).toEqual(['c019999', 'c019998'])
  const last = await lab.actions.log(repo, { all: true, skip: 19_900, limit: 200 })
  expect({ count: last.commits.length, more: last.more }).toEqual({ count: 100, more: false })
})

test('9: a rename is one change, staged and taken back as one', async () => {
  const repo = lab.repository('r', { 'old.txt': 'one\ntwo\nthree\nfour\n' })
  renameSync(join(repo, 'old.txt'), join(repo, 'new.txt'))
  await lab.actions.stage(repo, 'all')
  expect(await changesOf(repo)).toEqual(['staged renamed new.txt < old.txt'])
  lab.write(repo, { 'new.txt': 'ONE\ntwo\nthree\nfour\n' })
  await lab.actions.stage(repo, ['new.txt'])
  const { hunks, byHunk } = await lab.actions.diff(repo, { path: 'new.txt', from: 'old.txt', side: 'staged' })
  expect(byHunk).toBe(true)
  await lab.actions.unstageHunks(repo, { path: 'new.txt', from: 'old.txt', hunkIds: [hunks[0]!.id] })
  expect(lab.git(repo, 'show', ':new.txt')).toBe('one\ntwo\nthree\nfour\n')
  await lab.actions.unstage(repo, ['new.txt'])
  expect(await changesOf(repo)).toEqual(['deleted old.txt', 'untracked new.txt'])
  await discardAndRestore(repo)
})

test('10: hunks of a file with CRLF in the working tree are staged and discarded', async () => {
  const lines = (change: Record<number, string> = {}): string =>
    Array.from({ length: 30 }, (_, n) => `${change[n] ?? `line ${n}`}\r\n`).join('')
  const repo = lab.repository('r', { '.gitattributes': '*.txt text eol=crlf\n', 'a.txt': lines() })
  lab.write(repo, { 'a.txt': lines({ 2: 'two', 25: 'twenty-five' }) })
  const { hunks } = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  await lab.actions.stageHunks(repo, { path: 'a.txt', hunkIds: [hunks[0]!.id] })
  expect(lab.git(repo, 'show', ':a.txt')).toBe(lines({ 2: 'two' }).replaceAll('\r', ''))
  const rest = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  await lab.actions.discardHunks(repo, { path: 'a.txt', hunkIds: [rest.hunks[0]!.id] })
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe(lines({ 2: 'two' }))
})

test('11: mixed line endings come back byte for byte', async () => {
  const repo = lab.repository('r', { '.gitattributes': '* text=auto\n', 'a.txt': 'a\n' })
  lab.write(repo, { 'a.txt': 'one\r\ntwo\nthree\r\r\n', 'b.txt': 'x\r\ny\n' })
  expect(await discardAndRestore(repo)).toBe(3)
})

test('12: the clean filter of the user runs, and the working tree stays as it is', async () => {
  const repo = lab.repository('r', { '.gitattributes': '*.up filter=up\n' })
  lab.git(repo, 'config', 'filter.up.clean', 'tr a-z A-Z')
  lab.git(repo, 'config', 'filter.up.smudge', 'tr A-Z a-z')
  lab.write(repo, { 'a.up': 'hello\n' })
  await expect(lab.actions.status(repo)).rejects.toMatchObject({ code: 'git.untrusted' })
  await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
  await commitAll(repo)
  expect(lab.git(repo, 'show', 'HEAD:a.up')).toBe('HELLO\n')
  expect(readFileSync(join(repo, 'a.up'), 'utf8')).toBe('hello\n')
})

test('13: an empty repository takes its first commit, and unstages before it', async () => {
  const repo = lab.repository('r', {})
  lab.write(repo, { 'a.txt': 'a\n' })
  await lab.actions.stage(repo, 'all')
  expect(await changesOf(repo)).toEqual(['staged added a.txt'])
  await lab.actions.unstage(repo, ['a.txt'])
  expect(await changesOf(repo)).toEqual(['untracked a.txt'])
  expect(await lab.actions.log(repo, { all: false, skip: 0, limit: 9 })).toEqual({ commits: [], more: false })
  expect(await lab.actions.branches(repo)).toEqual([])
  await commitAll(repo, 'first')
  expect(await lab.actions.summary(repo)).toMatchObject({ branch: 'main', changed: 0 })
})

test('14: names with line breaks, quotes, tabs, stars and leading dashes', async () => {
  const names = [
    'line\nbreak.txt',
    'quo"te.txt',
    'tab\t.txt',
    '*.txt',
    '-rf',
    ':(top)x',
    'a\\b',
    ' space ',
    "it's $(x)",
    '[ab]?',
  ]
  const repo = lab.repository('r', Object.fromEntries(names.map((name) => [name, 'x\n'.repeat(9)])))
  for (const name of names) lab.write(repo, { [name]: `changed\n${'x\n'.repeat(9)}` })
  lab.write(repo, { 'b.txt': 'innocent\n' })
  for (const name of names) {
    const { hunks } = await lab.actions.diff(repo, { path: name, side: 'unstaged' })
    await lab.actions.stageHunks(repo, { path: name, hunkIds: hunks.map(({ id }) => id) })
  }
  expect((await lab.actions.status(repo)).staged.map(({ path }) => path).toSorted()).toEqual(names.toSorted())
  await lab.actions.unstage(repo, ['*.txt'])
  expect((await lab.actions.status(repo)).staged).toHaveLength(names.length - 1)
  await lab.actions.unstage(repo, 'all')
  await discardAndRestore(repo)
})

test.runIf(process.platform === 'linux')('15: names that are not UTF-8', async () => {
  const repo = lab.repository('r')
  const file = Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x74])])
  writeFileSync(file, 'one\n')
  const path = '\u000066fffe2e74'
  expect(await changesOf(repo)).toEqual([String.raw`untracked f\xff\xfe.t`])
  await lab.actions.stage(repo, [path])
  await lab.actions.commit(repo, { message: 'odd', amend: false })
  writeFileSync(file, 'two\n')
  const { hunks } = await lab.actions.diff(repo, { path, side: 'unstaged' })
  expect(hunks[0]!.text).toContain('-one\n+two\n')
  await lab.actions.stageHunks(repo, { path, hunkIds: [hunks[0]!.id] })
  await lab.actions.unstage(repo, [path])
  await discardAndRestore(repo)
  const { commits } = await lab.actions.log(repo, { all: false, path, skip: 0, limit: 9 })
  expect(commits.map(({ subject }) => subject)).toEqual(['odd'])
})

test.runIf(process.platform !== 'win32')('16: symbolic links are changed and brought back as links', async () => {
  const repo = lab.repository('r')
  symlinkSync('a.txt', join(repo, 'link'))
  await commitAll(repo)
  rmSync(join(repo, 'link'))
  symlinkSync('elsewhere/that/is/not', join(repo, 'link'))
  expect((await lab.actions.diff(repo, { path: 'link', side: 'unstaged' })).byHunk).toBe(false)
  await discardAndRestore(repo)
})

test.runIf(process.platform !== 'win32')('17: a link in the way of a tracked file is not followed', async () => {
  const repo = lab.repository('r', { 'dir/a.txt': 'a\n' })
  const outside = join(lab.root, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'a.txt'), 'precious\n')
  rmSync(join(repo, 'dir'), { recursive: true })
  symlinkSync(outside, join(repo, 'dir'))
  await expect(lab.actions.discard(repo, ['dir/a.txt'])).rejects.toMatchObject({ code: 'request.invalid' })
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('precious\n')
})

test.runIf(process.platform !== 'win32')('18: a change of only the mode', async () => {
  const repo = lab.repository('r')
  chmodSync(join(repo, 'a.txt'), 0o755)
  const diff = await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })
  expect(diff).toMatchObject({ hunks: [], note: 'It was made executable.' })
  await lab.actions.stage(repo, ['a.txt'])
  expect((await lab.actions.status(repo)).staged).toEqual([{ path: 'a.txt', kind: 'modified', modeOnly: true }])
})

test('19: names that differ only by case', async () => {
  const repo = lab.repository('r', { 'Readme.md': 'one\n' })
  lab.git(repo, 'mv', 'Readme.md', 'README.md')
  expect(await changesOf(repo)).toEqual(['staged renamed README.md < Readme.md'])
  await commitAll(repo)
  await lab.actions.createBranch(repo, { name: 'before', from: 'HEAD~1', checkout: true })
  await lab.actions.switch(repo, 'refs/heads/main')
  expect(lab.git(repo, 'ls-files').trim()).toBe('README.md')
})

test('20: names in composed and decomposed Unicode stay as they are', async () => {
  const names = ['caf\u00e9.txt', 'cafe\u0301.txt']
  const repo = lab.repository('r', Object.fromEntries(names.map((name) => [name, 'x\n'])))
  for (const name of names) lab.write(repo, { [name]: 'y\n' })
  expect((await lab.actions.status(repo)).unstaged.map(({ path }) => path).toSorted()).toEqual(names.toSorted())
  await lab.actions.stage(repo, [names[1]!])
  expect((await lab.actions.status(repo)).staged.map(({ path }) => path)).toEqual([names[1]])
})

test('21: attributes that hide the diff, and binary files', async () => {
  const repo = lab.repository('r', {
    '.gitattributes': '*.dat -diff\n',
    'a.dat': 'text\n',
    'b.bin': Buffer.from([0, 1, 2]),
  })
  lab.write(repo, { 'a.dat': 'changed\n', 'b.bin': Buffer.from([0, 9, 9]), 'new.bin': Buffer.from([0, 3]) })
  for (const path of ['a.dat', 'b.bin'])
    expect(await lab.actions.diff(repo, { path, side: 'unstaged' })).toMatchObject({
      note: 'A binary file.',
      byHunk: false,
    })
  expect(await lab.actions.diff(repo, { path: 'new.bin', side: 'untracked' })).toMatchObject({ note: 'A binary file.' })
  await discardAndRestore(repo)
})

test('22: a rebase in progress continues after its conflicts, and can be aborted', async () => {
  const repo = lab.repository('r', { 'a.txt': 'base\n' })
  lab.git(repo, 'switch', '-qc', 'topic')
  lab.write(repo, { 'a.txt': 'topic\n' })
  lab.git(repo, 'commit', '-qam', 'topic')
  lab.git(repo, 'switch', '-q', 'main')
  lab.write(repo, { 'a.txt': 'main\n' })
  lab.git(repo, 'commit', '-qam', 'main')
  lab.git(repo, 'switch', '-q', 'topic')
  expect(() => lab.git(repo, 'rebase', 'main')).toThrow(/Command failed/)
  expect((await lab.actions.status(repo)).operation).toEqual({ kind: 'rebase', step: 1, steps: 1, branch: 'topic' })
  await expect(lab.actions.pull(repo, 'rebase')).rejects.toMatchObject({ code: 'git.busy' })
  lab.write(repo, { 'a.txt': 'half resolved\n' })
  const { kept } = await lab.actions.abortOperation(repo)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('topic\n')
  await lab.actions.restoreKept(repo, kept!)
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('half resolved\n')
  await lab.actions.discard(repo, ['a.txt'])
  expect(() => lab.git(repo, 'rebase', 'main')).toThrow(/Command failed/)
  await lab.actions.takeSide(repo, { path: 'a.txt', choice: 'theirs' })
  await lab.actions.continueOperation(repo)
  expect(lab.git(repo, 'log', '--format=%s').trim()).toBe('topic\nmain\nfirst')
})

test('23: a cherry-pick and a revert with conflicts are aborted, and a bisect is left', async () => {
  const repo = lab.repository('r', { 'a.txt': '1\n' })
  for (const n of [2, 3, 4]) {
    lab.write(repo, { 'a.txt': `${n}\n` })
    lab.git(repo, 'commit', '-qam', `c${n}`)
  }
  const head = lab.git(repo, 'rev-parse', 'HEAD').trim()
  for (const [kind, ...args] of [
    ['cherry-pick', 'HEAD~2'],
    ['revert', '--no-edit', 'HEAD~1'],
  ] as const) {
    expect(() => lab.git(repo, kind, ...args)).toThrow(/Command failed/)
    expect((await lab.actions.status(repo)).operation).toEqual({ kind })
    await lab.actions.abortOperation(repo)
    expect(lab.git(repo, 'rev-parse', 'HEAD').trim()).toBe(head)
  }
  lab.git(repo, 'bisect', 'start', 'HEAD', 'HEAD~3')
  expect((await lab.actions.status(repo)).operation).toEqual({ kind: 'bisect' })
  await lab.actions.abortOperation(repo)
  expect(await lab.actions.summary(repo)).toMatchObject({ branch: 'main' })
})

test('24: packed refs, tags and loose refs are all found', async () => {
  const repo = lab.repository('r')
  lab.git(repo, 'branch', 'packed')
  lab.git(repo, 'tag', '-am', 'release', 'v1')
  lab.git(repo, 'pack-refs', '--all')
  lab.git(repo, 'branch', 'loose')
  expect((await lab.actions.branches(repo)).map(({ name }) => name).toSorted()).toEqual(['loose', 'main', 'packed'])
  const [commit] = (await lab.actions.log(repo, { all: true, skip: 0, limit: 9 })).commits
  expect(commit!.refs.map(({ name }) => name).toSorted()).toEqual(['HEAD', 'loose', 'main', 'packed', 'v1'])
})

test('25: unrelated histories are shown together, and not pulled', async () => {
  const one = lab.repository('one')
  const two = lab.repository('two', { 'b.txt': 'b\n' })
  lab.git(two, 'commit', '-q', '--amend', '-m', 'other')
  lab.git(one, 'remote', 'add', 'origin', two)
  await lab.trust(one)
  await lab.actions.fetch(one, undefined)
  lab.git(one, 'branch', '--set-upstream-to=origin/main')
  expect((await lab.actions.log(one, { all: true, skip: 0, limit: 9 })).commits).toHaveLength(2)
  await expect(lab.actions.pull(one, 'fast-forward')).rejects.toMatchObject({ code: 'git.diverged' })
  expect(contentOf(one).size).toBe(1)
})

test('26: hashes with SHA-256', async () => {
  const repo = lab.repository('r', { 'a.txt': 'one\n' }, ['--object-format=sha256'])
  lab.write(repo, { 'a.txt': 'two\n' })
  await commitAll(repo)
  const [commit] = (await lab.actions.log(repo, { all: false, skip: 0, limit: 1 })).commits
  expect(commit!.hash).toHaveLength(64)
  expect((await lab.actions.commitDetails(repo, commit!.hash)).files).toMatchObject([{ path: 'a.txt', added: 1 }])
  await lab.actions.createBranch(repo, { name: 'b', from: commit!.hash, checkout: false })
  const { commit: hash } = await lab.actions.deleteBranch(repo, 'b', true)
  expect(hash).toBe(commit!.hash)
})

test('27: a session in a subfolder works on the whole repository', async () => {
  const repo = lab.repository('r', { 'packages/app/a.txt': 'a\n', 'b.txt': 'b\n' })
  lab.write(repo, { 'packages/app/a.txt': 'A\n', 'b.txt': 'B\n' })
  const folder = join(repo, 'packages/app')
  expect(await lab.actions.status(folder)).toMatchObject({
    top: repo,
    unstaged: [{ path: 'b.txt' }, { path: 'packages/app/a.txt' }],
  })
  await lab.actions.stage(folder, ['b.txt'])
  expect(lab.git(repo, 'diff', '--cached', '--name-only').trim()).toBe('b.txt')
})

test('28: a tracked file whose place a folder has taken is brought back, and the folder kept', async () => {
  const repo = lab.repository('r', { thing: 'a file\n' })
  rmSync(join(repo, 'thing'))
  lab.write(repo, { 'thing/inner.txt': 'precious\n' })
  const { kept } = await lab.actions.discard(repo, ['thing'])
  expect(readFileSync(join(repo, 'thing'), 'utf8')).toBe('a file\n')
  expect((await lab.actions.kept(repo)).find(({ id }) => id === kept)?.paths).toEqual(['thing/inner.txt'])
})

test('29: a repository in an untracked folder is never removed', async () => {
  const repo = lab.repository('r')
  lab.repository('r/nested', { 'x.txt': 'precious\n' })
  expect(await changesOf(repo)).toEqual(['untracked nested/'])
  await expect(lab.actions.discard(repo, ['nested/'])).rejects.toMatchObject({ code: expect.stringMatching(/^git\./) })
  expect(readFileSync(join(repo, 'nested/x.txt'), 'utf8')).toBe('precious\n')
})

test('30: a file that is staged and changed again has both versions', async () => {
  const repo = lab.repository('r', { 'a.txt': 'one\n' })
  lab.write(repo, { 'a.txt': 'two\n' })
  await lab.actions.stage(repo, ['a.txt'])
  lab.write(repo, { 'a.txt': 'three\n' })
  expect(await changesOf(repo)).toEqual(['staged modified a.txt', 'modified a.txt'])
  await discardAndRestore(repo)
  await lab.actions.commit(repo, { message: 'two', amend: false })
  expect(lab.git(repo, 'show', 'HEAD:a.txt')).toBe('two\n')
  expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('three\n')
})

test('31: a file announced with git add -N is discarded and brought back', async () => {
  const repo = lab.repository('r')
  lab.write(repo, { 'soon.txt': 'soon\n' })
  lab.git(repo, 'add', '-N', 'soon.txt')
  expect(await changesOf(repo)).toEqual(['added soon.txt'])
  await discardAndRestore(repo)
})

test('32: paths that leave the repository are refused', async () => {
  const repo = lab.repository('r')
  for (const path of ['../outside', '/etc/passwd', '.git/config', 'a/../../x', 'a//b', '\u00002e2e2f78'])
    await expect(lab.actions.diff(repo, { path, side: 'untracked' })).rejects.toMatchObject({ code: 'request.invalid' })
})

test('a submodule whose filters would run, or that is a link, is looked at without running anything', async () => {
  const inner = lab.repository('inner')
  const repo = lab.repository('r')
  for (const name of ['armed', 'linked']) lab.git(repo, 'submodule', '--quiet', 'add', inner, name)
  lab.git(repo, 'commit', '-qm', 'sub')
  const ran = join(lab.root, 'ran')
  lab.git(join(repo, 'armed'), 'config', 'filter.evil.clean', `sh -c 'echo ran >> ${ran}; cat'`)
  lab.write(join(repo, 'armed'), { '.gitattributes': '* filter=evil\n', 'a.txt': 'dirty\n' })
  rmSync(join(repo, 'linked'), { recursive: true })
  const elsewhere = lab.repository('elsewhere')
  lab.write(elsewhere, { 'a.txt': 'dirty\n' })
  symlinkSync(elsewhere, join(repo, 'linked'))
  const { submodules } = await lab.actions.status(repo)
  expect(submodules).toEqual([{ path: 'armed', changed: 1, untracked: 1 }])
  expect(existsSync(ran)).toBe(false)
})
