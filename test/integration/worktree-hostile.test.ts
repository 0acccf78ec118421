import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CodedError } from '../../src/shared/errors'
import { findRepository } from '../../src/main/engine/git/run/find-repository'
import { openRepository } from '../../src/main/engine/git/repository/open-repository'
import { createRunGit } from '../../src/main/engine/git/run/run-git'
import { takeSnapshot } from '../../src/main/engine/worktree/files/snapshot'
import { contentOf, labEnvironment } from '../support/git-lab'
import { required } from '../support/required'
import { createWorktreeLab, type WorktreeLab } from '../support/worktree-lab'

let lab: WorktreeLab
let project: string
let outside: string
beforeEach(() => {
  lab = createWorktreeLab()
  project = lab.repository('shop', {
    'a.txt': 'one\n',
    'sub/b.txt': 'two\n',
    '.gitignore': '.env\nbuild/\nnode_modules/\n.trestle/\n',
  })
  outside = join(lab.root, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'theirs'), 'not ours')
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

/** A branch with links in its tree, as possibly pushed by a stranger. */
function hostileBranch(links: Record<string, string>): void {
  lab.git(project, 'checkout', '-q', '-b', 'hostile')
  for (const [name, target] of Object.entries(links)) {
    rmSync(join(project, name), { recursive: true, force: true })
    mkdirSync(join(project, name, '..'), { recursive: true })
    symlinkSync(target, join(project, name))
    lab.git(project, 'add', '-f', '-A', '--', name)
  }
  lab.git(project, 'commit', '-qm', 'links')
  lab.git(project, 'checkout', '-q', '-f', 'main')
}

describe('a branch with links', () => {
  test('cannot have the project’s configuration written into the home through a link', async () => {
    hostileBranch({ '.trestle': '../../home' })
    lab.write(project, { '.trestle/config.toml': '[worktree]\nsetup = "touch pwned"\n', '.trestle/agents/x.md': 'x' })
    const before = contentOf(lab.home)
    const { notes } = await lab.worktrees.create(project, { branch: 'hostile' })
    expect(existsSync(join(lab.home, 'config.toml'))).toBe(false)
    expect(existsSync(join(lab.home, 'agents'))).toBe(false)
    expect([...contentOf(lab.home).keys()].filter((name) => !/^(?:worktrees|git)\b/.test(name))).toEqual(
      [...before.keys()].filter((name) => !/^(?:worktrees|git)\b/.test(name)),
    )
    expect(notes.join('\n')).toContain('.trestle/config.toml')
  })

  test('gets nothing written through a link further down', async () => {
    hostileBranch({ '.trestle/agents': '../../../outside', 'sub/deep': '../../../outside' })
    lab.write(project, { '.trestle/agents/x.md': 'x', 'sub/deep/.env': 'KEY=1\n', '.trestle/config.toml': '# own\n' })
    const { folder, notes } = await lab.worktrees.create(project, { branch: 'hostile' })
    expect(contentOf(outside)).toEqual(new Map([['theirs', expect.anything()]]))
    expect(read(folder, '.trestle/config.toml')).toBe('# own\n')
    expect(notes.join('\n')).toContain('sub/deep/.env')
  })

  test('has its session work at the top if its folder is a link, and runs the setup command there', async () => {
    hostileBranch({ sub: '../../outside' })
    lab.settings.worktree = { ...lab.settings.worktree, setup: 'touch made' }
    const { folder, notes } = await lab.worktrees.create(join(project, 'sub'), { branch: 'hostile' })
    await lab.worktrees.prepared(folder, new AbortController().signal)
    expect(existsSync(join(folder, 'a.txt'))).toBe(true)
    expect(existsSync(join(folder, 'made'))).toBe(true)
    expect(existsSync(join(outside, 'made'))).toBe(false)
    expect(notes.join('\n')).toContain('the session works at the top')
  })

  test('cannot redirect the setup command with a link that is created later', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(join(project, 'sub'), {})
    renameSync(folder, `${folder}-before`)
    symlinkSync(outside, folder)
    lab.settings.worktree = { ...lab.settings.worktree, setup: 'touch made' }
    await lab.worktrees.setup(worktreeId, true)
    await lab.worktrees.prepared(folder, new AbortController().signal)
    expect(existsSync(join(outside, 'made'))).toBe(false)
    expect(existsSync(join(folder, '..', 'made'))).toBe(true)
  })

  test('does not get files that links in the project point to', async () => {
    writeFileSync(join(outside, '.env'), 'SECRET=1\n')
    symlinkSync(outside, join(project, 'linked'))
    symlinkSync(outside, join(project, '.trestle'))
    writeFileSync(join(outside, 'config.toml'), '# theirs\n')
    const { folder } = await lab.worktrees.create(project, {})
    expect(existsSync(join(folder, '.trestle'))).toBe(false)
    expect(existsSync(join(folder, 'linked'))).toBe(false)
  })
})

describe('a file that is replaced by a link while it is saved', () => {
  test('does not become the content of the link target', async () => {
    const env = { ...labEnvironment(lab.root), PATH: process.env['PATH'] ?? '' }
    const neutralFolder = join(lab.root, 'neutral')
    mkdirSync(neutralFolder)
    writeFileSync(join(outside, 'new.txt'), 'a secret')
    lab.write(project, { 'dir/new.txt': 'mine', 'a.txt': 'changed\n' })
    const real = openRepository(
      required(findRepository(project), 'the repository'),
      createRunGit({ env: () => env, neutralFolder }),
    )
    const racing = {
      ...real,
      async write(...[args, options]: Parameters<typeof real.write>) {
        if (args[0] !== 'hash-object') return real.write(args, options)
        renameSync(join(project, 'dir'), join(project, 'dir-away'))
        symlinkSync(outside, join(project, 'dir'))
        try {
          return await real.write(args, options)
        } finally {
          rmSync(join(project, 'dir'))
          renameSync(join(project, 'dir-away'), join(project, 'dir'))
        }
      },
    }
    const options = { temporary: join(lab.root, 'temporary'), ignored: false }
    expect(await codeOf(takeSnapshot(racing, options))).toBe('worktree.busy')
    expect(await takeSnapshot(real, options)).toMatchObject({ files: 2 })
  })
})

describe('removing a worktree with copied files', () => {
  test('saves a copy whose original was changed or deleted in the meantime', async () => {
    lab.write(project, { '.env': 'KEY=1\n', 'sub/.env': 'KEY=2\n', 'deep/.env': 'KEY=3\n' })
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    const before = contentOf(folder)
    rmSync(join(project, '.env'))
    writeFileSync(join(project, 'sub/.env'), 'KEY=new\n')
    const removed = await lab.worktrees.remove(worktreeId)
    expect(removed.removed).toMatchObject({ files: 2 })
    // Files that are still in the project are not stored in the repository, because they may be secrets.
    expect(readFileSync(required(removed.removed?.patch, 'the patch'), 'utf8')).not.toContain('KEY=3')
    await lab.worktrees.restore(worktreeId)
    expect(contentOf(folder)).toEqual(before)
    expect([existsSync(join(project, '.env')), read(project, 'sub/.env')]).toEqual([false, 'KEY=new\n'])
  })

  test('saves a copy whose original is now a link to it', async () => {
    lab.write(project, { '.env': 'KEY=1\n' })
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    rmSync(join(project, '.env'))
    symlinkSync(join(folder, '.env'), join(project, '.env'))
    await lab.worktrees.remove(worktreeId)
    await lab.worktrees.restore(worktreeId)
    expect(read(folder, '.env')).toBe('KEY=1\n')
  })

  test('saves a copy that was staged or committed', async () => {
    lab.write(project, { '.env': 'KEY=1\n', 'sub/.env': 'KEY=2\n' })
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    writeFileSync(join(folder, '.env'), 'KEY=staged\n')
    lab.git(folder, 'add', '-f', '.env', 'sub/.env')
    writeFileSync(join(folder, '.env'), 'KEY=1\n')
    const before = contentOf(folder)
    await lab.worktrees.remove(worktreeId)
    rmSync(join(project, '.env'))
    await lab.worktrees.restore(worktreeId)
    expect(contentOf(folder)).toEqual(before)
    expect(lab.git(folder, 'show', ':.env')).toBe('KEY=staged\n')
  })

  test('in a repository with SHA-256 names, unchanged copies are recognized too', async () => {
    const other = join(lab.root, 'sha256')
    mkdirSync(other)
    lab.git(other, 'init', '-q', '--object-format=sha256', '-b', 'main')
    lab.write(other, { 'a.txt': 'a', '.gitignore': '.env\n' })
    lab.git(other, 'add', '-A')
    lab.git(other, 'commit', '-qm', 'one')
    lab.write(other, { '.env': 'KEY=1\n' })
    const { folder, worktreeId } = await lab.worktrees.create(other, {})
    expect(read(folder, '.env')).toBe('KEY=1\n')
    expect((await lab.worktrees.remove(worktreeId)).removed?.files).toBe(0)
  })
})

describe('removing a worktree', () => {
  test('saves a change of the same size within the second in which the file was staged', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    // As on file systems and with settings where only the content differs for Git.
    lab.git(project, 'config', 'core.trustctime', 'false')
    lab.git(project, 'config', 'core.checkStat', 'minimal')
    const then = Math.floor(Date.now() / 1_000) - 60
    writeFileSync(join(folder, 'a.txt'), 'aaa\n')
    utimesSync(join(folder, 'a.txt'), then, then)
    lab.git(folder, 'add', 'a.txt')
    utimesSync(join(lab.git(folder, 'rev-parse', '--absolute-git-dir').trim(), 'index'), then, then)
    writeFileSync(join(folder, 'a.txt'), 'bbb\n')
    utimesSync(join(folder, 'a.txt'), then, then)
    await lab.worktrees.remove(worktreeId)
    await lab.worktrees.restore(worktreeId)
    expect(read(folder, 'a.txt')).toBe('bbb\n')
    expect(lab.git(folder, 'show', ':a.txt')).toBe('aaa\n')
  })

  test('a second time keeps the files kept by the first removal', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'first\n' })
    await lab.worktrees.remove(worktreeId)
    const first = lab.git(project, 'rev-parse', `refs/trestle/worktrees/${worktreeId}`).trim()
    await lab.worktrees.restore(worktreeId)
    lab.write(folder, { 'a.txt': 'second\n' })
    await lab.worktrees.remove(worktreeId)
    lab.git(project, 'gc', '-q', '--prune=now')
    expect(lab.git(project, 'show', `${first}:a.txt`)).toBe('first\n')
    await lab.worktrees.restore(worktreeId)
    expect(read(folder, 'a.txt')).toBe('second\n')
  })

  test('is refused if an ignored folder contains a repository, whose commits would be lost', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, {})
    const nested = join(folder, 'build/clone')
    mkdirSync(nested, { recursive: true })
    execFileSync('git', ['init', '-q'], { cwd: nested, env: { ...process.env, ...labEnvironment(lab.root) } })
    lab.write(nested, { x: 'x' })
    expect(await codeOf(lab.worktrees.remove(worktreeId))).toBe('worktree.nested')
    expect(read(nested, 'x')).toBe('x')
  })

  test('keeps edits made in a partly restored worktree after the process died', async () => {
    const { folder, worktreeId } = await lab.worktrees.create(project, { branch: 'w' })
    lab.write(folder, { 'a.txt': 'mine\n' })
    await lab.worktrees.remove(worktreeId)
    const file = join(lab.home, 'worktrees', `${worktreeId}.json`)
    const removed = JSON.parse(readFileSync(file, 'utf8')) as object
    await lab.worktrees.restore(worktreeId)
    writeFileSync(join(folder, 'a.txt'), 'edited after the crash\n')
    writeFileSync(file, JSON.stringify({ ...removed, state: 'creating' }))
    const next = lab.again()
    await next.list()
    const kept = lab
      .git(project, 'rev-list', '--objects', '--all')
      .split('\n')
      .map((line) => line.split(' ')[0])
    const wanted = join(lab.root, 'wanted')
    writeFileSync(wanted, 'edited after the crash\n')
    const hash = lab.git(project, 'hash-object', wanted).trim()
    expect(existsSync(folder) && read(folder, 'a.txt') === 'edited after the crash\n' ? hash : kept).toContain(hash)
    if (existsSync(folder)) return
    await next.restore(worktreeId)
    expect(read(folder, 'a.txt')).toBe('mine\n')
  })
})
