import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findRepository, repositoryProblem } from '../../src/main/engine/git/run/find-repository'
import { createGitLab, type GitLab } from '../support/git-lab'

let lab: GitLab
let marker: string
beforeEach(() => {
  lab = createGitLab()
  marker = join(lab.root, 'ran')
})
afterEach(() => lab.remove())

const ran = (): string => (existsSync(marker) ? readFileSync(marker, 'utf8') : '')
const script = (what: string): string => `sh -c 'echo ${what} >> ${marker}; cat'`

/** Hooks and settings that leave a mark. */
function arm(gitDir: string): void {
  const hook = join(gitDir, 'hooks/post-checkout')
  mkdirSync(join(gitDir, 'hooks'), { recursive: true })
  writeFileSync(hook, `#!/bin/sh\necho hook >> '${marker}'\n`)
  chmodSync(hook, 0o755)
  writeFileSync(join(gitDir, 'info/attributes'), '* filter=evil\n')
  writeFileSync(
    join(gitDir, 'config'),
    `${readFileSync(join(gitDir, 'config'), 'utf8')}[filter "evil"]\n\tclean = ${script('clean')}\n`,
  )
}

describe('the judged repository is the one that git uses', () => {
  /** A harmless repository at `name`, and an armed one whose name differs by `suffix` only. */
  function twins(name: string, suffix: string): string {
    lab.repository('kind')
    lab.repository('evil')
    renameSync(join(lab.root, 'kind/.git'), join(lab.root, name))
    renameSync(join(lab.root, 'evil/.git'), join(lab.root, name + suffix))
    arm(join(lab.root, name + suffix))
    const folder = join(lab.root, 'work')
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.txt'), 'other\n')
    return folder
  }

  test.each([' ', '\t', '\u00a0', ' \r\r', '\u2028'])('with %j at the end of the name in .git', async (suffix) => {
    const folder = twins('store', suffix.replaceAll('\r', ''))
    writeFileSync(join(folder, '.git'), `gitdir: ${join(lab.root, 'store')}${suffix}\n`)
    expect((await lab.actions.summary(folder)).state).not.toBe('ready')
    await lab.actions.status(folder).catch(() => undefined)
    await lab.actions.createBranch(folder, { name: 'x', checkout: true }).catch(() => undefined)
    expect(ran()).toBe('')
  })

  test('with a blank at the end of commondir', async () => {
    const folder = twins('store', ' ')
    mkdirSync(join(lab.root, 'link'))
    writeFileSync(join(lab.root, 'link/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(lab.root, 'link/commondir'), `${join(lab.root, 'store')} \n`)
    writeFileSync(join(folder, '.git'), `gitdir: ${join(lab.root, 'link')}\n`)
    expect((await lab.actions.summary(folder)).state).not.toBe('ready')
    await lab.actions.status(folder).catch(() => undefined)
    await lab.actions.createBranch(folder, { name: 'x', checkout: true }).catch(() => undefined)
    expect(ran()).toBe('')
  })

  test('a .git file that is too long, is not text, or has a zero byte is rejected as a repository with the reason', async () => {
    const folder = twins('store', '\ufffd')
    const target = join(lab.root, 'store')
    const outer = lab.repository('outer')
    const inner = join(outer, 'inner')
    mkdirSync(inner)
    for (const content of [
      Buffer.from(`gitdir: ${'./'.repeat(40_000)}${target}\n`),
      Buffer.concat([Buffer.from(`gitdir: ${target}`), Buffer.from([0xff, 0x0a])]),
      Buffer.from(`gitdir: ${target}\0/x\n`),
      Buffer.from('gitdir: \n'),
      Buffer.from('something else\n'),
    ])
      for (const at of [folder, inner]) {
        writeFileSync(join(at, '.git'), content)
        expect(findRepository(at)).toBeUndefined()
        expect(repositoryProblem(at)).toContain('.git')
        await expect(lab.actions.status(at)).rejects.toMatchObject({ code: 'git.no_repository' })
        expect(await lab.actions.summary(at)).toEqual({ state: 'none' })
      }
    expect(ran()).toBe('')
  })

  test('a broken .git next to the parts of a bare repository does not make the folder a bare repository', () => {
    const folder = join(lab.root, 'both')
    mkdirSync(folder)
    lab.git(folder, 'init', '-q', '--bare')
    writeFileSync(join(folder, '.git'), 'gitdir: /nowhere\n')
    expect(findRepository(folder)).toBeUndefined()
  })

  test('git does not search above a folder with a colon in its name', async () => {
    const outer = lab.repository('out:er')
    arm(join(outer, '.git'))
    const inner = lab.repository('out:er/in:ner')
    writeFileSync(join(inner, '.git/HEAD'), 'nothing\n')
    await lab.actions.status(inner).catch(() => undefined)
    await lab.actions.createBranch(inner, { name: 'x', checkout: true }).catch(() => undefined)
    expect(ran()).toBe('')
  })
})

describe('asks about settings that refer to programs elsewhere', () => {
  const state = async (repo: string): Promise<string> => (await lab.actions.summary(repo)).state

  test.each([
    'https://example.com/a.git',
    'http://localhost:8080/a.git',
    'ssh://git@example.com:22/a.git',
    'git://example.com/a.git',
    'git@example.com:a/b.git',
    'example.com:a.git',
    'git+ssh://example.com/a',
  ])('%s is an address', async (url) => {
    const repo = lab.repository('r')
    lab.git(repo, 'config', 'remote.origin.url', url)
    expect(await state(repo)).toBe('ready')
  })

  test.each([
    '/srv/a.git',
    './a.git',
    '../a.git',
    'a.git',
    'sub/a:b',
    'file:///srv/a.git',
    'FILE:///srv/a.git',
    'ext::sh -c x',
    'fd::3',
    'foo::bar',
    'foo://bar',
    '~/a.git',
    '-oProxyCommand=x:a',
    'ssh://-oProxyCommand=x/a',
    'git@-oProxyCommand=x:a',
    'C:/a.git',
    'a bundle',
    '',
  ])('%j is a program or a folder', async (url) => {
    for (const key of ['url', 'pushurl'])
      for (const other of ['', 'https://example.com/a.git']) {
        const repo = lab.repository(`r-${key}-${other.length}`)
        if (other !== '') lab.git(repo, 'config', '--add', `remote.origin.${key}`, other)
        lab.git(repo, 'config', '--add', `remote.origin.${key}`, url)
        expect([key, other, await state(repo)]).toEqual([key, other, 'untrusted'])
      }
  })

  test('asks about names of remotes that git uses as addresses', async () => {
    for (const [key, value] of [
      ['branch.main.remote', '/srv/evil'],
      ['branch.main.remote', 'evil'],
      ['branch.main.pushRemote', 'ext::sh -c x'],
      ['remote.pushDefault', './evil'],
      ['remote./srv/evil.tagOpt', '--no-tags'],
      ['remote.evil.fetch', '+refs/heads/*:refs/remotes/evil/*'],
      ['checkout.defaultRemote', '/srv/evil'],
      ['lfs.url', '/srv/evil'],
    ] as const) {
      const repo = lab.repository(`r-${key.replaceAll('/', '-')}-${value.length}`)
      lab.git(repo, 'config', key, value)
      expect([key, value, await state(repo)]).toEqual([key, value, 'untrusted'])
    }
    const repo = lab.repository('usual')
    lab.git(repo, 'config', 'branch.main.remote', '.')
    lab.git(repo, 'config', 'remote.origin.url', 'git@example.com:a.git')
    lab.git(repo, 'config', 'branch.other.remote', 'origin')
    expect(await state(repo)).toBe('ready')
  })

  test('asks about remotes in files of old Git versions', async () => {
    for (const [file, content] of [
      ['remotes/origin', 'URL: /srv/evil\nPush: refs/heads/main\n'],
      ['branches/origin', '/srv/evil#main\n'],
    ] as const) {
      const repo = lab.repository(`r-${file.replace('/', '-')}`)
      mkdirSync(join(repo, '.git', file, '..'), { recursive: true })
      writeFileSync(join(repo, '.git', file), content)
      expect([file, await state(repo)]).toEqual([file, 'untrusted'])
      const { hash } = await lab.actions.trustView(repo)
      writeFileSync(join(repo, '.git', file), `${content}\n`)
      expect((await lab.actions.trustView(repo)).hash).not.toBe(hash)
    }
  })

  test('a push to a folder runs no hook of it before the repository is trusted', async () => {
    const target = join(lab.root, 'target')
    mkdirSync(target)
    lab.git(target, 'init', '-q', '--bare')
    writeFileSync(join(target, 'hooks/pre-receive'), `#!/bin/sh\necho received >> '${marker}'\n`)
    chmodSync(join(target, 'hooks/pre-receive'), 0o755)
    const repo = lab.repository('r')
    lab.git(repo, 'config', 'remote.origin.url', target)
    await expect(lab.actions.push(repo, {})).rejects.toMatchObject({ code: 'git.untrusted' })
    expect(ran()).toBe('')
    await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
    await lab.actions.push(repo, {})
    expect(ran()).toBe('received\n')
  })
})

describe('trust covers what settings include', () => {
  async function trusted(repo: string): Promise<boolean> {
    const state = await lab.actions.trustView(repo)
    return state.state === 'trusted'
  }

  test.each([
    ['include.path', '../included'],
    ['includeIf.gitdir:/.path', '../included'],
    ['includeIf.onbranch:main.path', '../included'],
  ])('%s', async (key, value) => {
    const repo = lab.repository('r')
    writeFileSync(join(repo, 'included'), '[core]\n\tabbrev = 9\n')
    lab.git(repo, 'config', key, value)
    const { hash } = await lab.actions.trustView(repo)
    writeFileSync(join(repo, 'included'), '[core]\n\tabbrev = 10\n')
    await expect(lab.actions.trust(repo, hash)).rejects.toMatchObject({ code: 'git.changed' })
    await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
    expect(await trusted(repo)).toBe(true)
    writeFileSync(join(repo, 'included'), `[filter "x"]\n\tclean = ${script('clean')}\n`)
    expect(await trusted(repo)).toBe(false)
    expect((await lab.actions.trustView(repo)).programs.join('\n')).toContain('filter.x.clean')
    await expect(lab.actions.status(repo)).rejects.toMatchObject({ code: 'git.untrusted' })
  })

  test('in files that included files include, in missing ones, in the home folder, and in a circle', async () => {
    const repo = lab.repository('r')
    const user = join(lab.root, 'user')
    const files = ['a', 'b', 'missing', '../user/mine'].map((name) => join(repo, name))
    writeFileSync(files[0]!, '[include]\n\tpath = b\n\tpath = missing\n')
    writeFileSync(files[1]!, '[include]\n\tpath = ~/mine\n\tpath = a\n')
    writeFileSync(join(user, 'mine'), '[core]\n\tabbrev = 9\n')
    lab.git(repo, 'config', 'include.path', '../a')
    const hashes = new Set([(await lab.actions.trustView(repo)).hash])
    writeFileSync(files[2]!, '[core]\n\tabbrev = 9\n')
    hashes.add((await lab.actions.trustView(repo)).hash)
    writeFileSync(join(user, 'mine'), '[core]\n\tabbrev = 10\n')
    hashes.add((await lab.actions.trustView(repo)).hash)
    expect(hashes.size).toBe(3)
  })

  test('hooks of every configured folder count, not only those of the last one', async () => {
    const repo = lab.repository('r')
    const hook = (folder: string): string => {
      mkdirSync(join(repo, folder), { recursive: true })
      writeFileSync(join(repo, folder, 'pre-commit'), '#!/bin/sh\n')
      chmodSync(join(repo, folder, 'pre-commit'), 0o755)
      return join(repo, folder, 'pre-commit')
    }
    const [first, included, last] = [hook('first'), hook('included-hooks'), hook('last')]
    writeFileSync(join(repo, 'included'), '[core]\n\thooksPath = included-hooks\n')
    lab.git(repo, 'config', '--add', 'core.hooksPath', 'first')
    lab.git(repo, 'config', '--add', 'includeIf.onbranch:main.path', '../included')
    lab.git(repo, 'config', '--add', 'core.hooksPath', 'last')
    const hashes = new Set([(await lab.actions.trustView(repo)).hash])
    for (const file of [first, included, last]) {
      writeFileSync(file, '#!/bin/sh\nchanged\n')
      hashes.add((await lab.actions.trustView(repo)).hash)
    }
    expect(hashes.size).toBe(4)
  })

  test('settings that include more than 64 files are not read completely, and cannot be trusted', async () => {
    const repo = lab.repository('r')
    for (let n = 0; n < 200; n += 1)
      writeFileSync(join(repo, `i${n}`), `[include]\n\tpath = i${n + 1}\n\tpath = i${n + 2}\n`)
    lab.git(repo, 'config', 'include.path', '../i0')
    const { programs, state } = await lab.actions.trustView(repo)
    expect(state).toBe('asked')
    expect(programs.join('\n')).toContain('too many')
  })
})

describe('naming the repository to git leaves the user’s hooks as they are', () => {
  /** Trusts a hook that writes its input. */
  async function hooked(repo: string, gitDir: string, name: string, lines: string): Promise<void> {
    const hook = join(gitDir, 'hooks', name)
    mkdirSync(join(gitDir, 'hooks'), { recursive: true })
    writeFileSync(hook, `#!/bin/sh\nset -e\n${lines}\n`)
    chmodSync(hook, 0o755)
    await lab.trust(repo)
  }
  const COMMIT_ELSEWHERE = (folder: string): string =>
    `mkdir -p '${folder}'; cd '${folder}'; git init -q; echo x > x; git add x; git commit -qm elsewhere`

  test('a hook that creates a repository elsewhere, like tests, leaves this one unchanged', async () => {
    const repo = lab.repository('r')
    const elsewhere = join(lab.root, 'elsewhere')
    await hooked(repo, join(repo, '.git'), 'pre-push', `${COMMIT_ELSEWHERE(elsewhere)}; pwd >> '${marker}'`)
    const target = lab.repository('target', {}, ['--bare'])
    lab.git(repo, 'config', 'remote.origin.url', target)
    await lab.trust(repo)
    const before = lab.git(repo, 'rev-parse', 'HEAD')
    await lab.actions.push(repo, {})
    expect(lab.git(repo, 'rev-parse', 'HEAD')).toBe(before)
    expect(lab.git(elsewhere, 'log', '--format=%s').trim()).toBe('elsewhere')
    expect(ran().trim()).toBe(elsewhere)
  })

  test('they run in linked worktrees, submodules and bare repositories, and see the files there', async () => {
    const inner = lab.repository('inner')
    const repo = lab.repository('r')
    lab.git(repo, 'submodule', '--quiet', 'add', inner, 'sub')
    lab.git(repo, 'commit', '-qm', 'sub')
    const linked = join(lab.root, 'linked tree')
    lab.git(repo, 'worktree', 'add', '-q', '-b', 'work', linked)
    const bare = join(lab.root, 'bare.git')
    lab.git(lab.root, 'clone', '-q', '--bare', inner, bare)
    const ofBare = join(lab.root, 'of bare')
    lab.git(bare, 'worktree', 'add', '-q', '-b', 'work', ofBare)
    const say = `git rev-parse --show-toplevel >> '${marker}'; git diff --cached --name-only >> '${marker}'`
    await hooked(repo, join(repo, '.git'), 'pre-commit', say)
    await hooked(join(repo, 'sub'), join(repo, '.git/modules/sub'), 'pre-commit', say)
    await hooked(ofBare, bare, 'pre-commit', say)
    for (const folder of [repo, linked, join(repo, 'sub'), ofBare]) {
      rmSync(marker, { force: true })
      lab.write(folder, { 'a.txt': 'changed\n' })
      await lab.actions.stage(folder, ['a.txt'])
      const { hash } = await lab.actions.commit(folder, { message: 'changed', amend: false })
      expect(ran()).toBe(`${folder}\na.txt\n`)
      expect(lab.git(folder, 'rev-parse', 'HEAD').trim()).toBe(hash)
    }
    expect(lab.git(repo, 'status', '--porcelain').trim()).toBe('M sub')
    expect((await lab.actions.branches(bare)).map(({ name }) => name)).toContain('work')
    await lab.actions.createBranch(bare, { name: 'more', checkout: false })
    expect(lab.git(bare, 'branch', '--list', 'more').trim()).toBe('more')
  })
})

test('trust is listed and can be withdrawn: then nothing runs until the user is asked again', async () => {
  const repo = lab.repository('r')
  arm(join(repo, '.git'))
  await lab.trust(repo)
  expect((await lab.actions.trusted()).map(({ repository }) => repository)).toEqual([join(repo, '.git')])
  await lab.actions.status(repo)
  rmSync(marker, { force: true })
  await lab.actions.forgetTrust(join(repo, '.git'))
  expect(await lab.actions.trusted()).toEqual([])
  await expect(lab.actions.status(repo)).rejects.toMatchObject({ code: 'git.untrusted' })
  expect(ran()).toBe('')
})
