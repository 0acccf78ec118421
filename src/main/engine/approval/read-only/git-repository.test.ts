import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { RepositoryRead } from './program-grammar'
import { repositoryProblem } from './git-repository'

const STATUS: RepositoryRead = { contents: 'none', entersSubmodules: true, only: [], revisions: [] }
const ARMED = '[core]\n\tfsmonitor = evil\n'
let root: string
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
const repository = (name: string): string => {
  mkdirSync(join(root, name), { recursive: true })
  git(join(root, name), 'init', '-q', '--template=')
  return join(root, name)
}
beforeEach(async () => {
  root = await tempFolder()
})

it('accepts a plain repository', async () => {
  expect(await repositoryProblem(repository('.'), STATUS, root)).toBeUndefined()
})

it('judges the repository that git uses, with blanks at the end of its name in .git and commondir', async () => {
  renameSync(join(repository('kind'), '.git'), join(root, 'store'))
  renameSync(join(repository('evil'), '.git'), join(root, 'store '))
  writeFileSync(join(root, 'store /config'), ARMED)
  writeFileSync(join(root, 'kind/.git'), `gitdir: ${join(root, 'store')} \n`)
  expect(await repositoryProblem(join(root, 'kind'), STATUS, root)).toContain('core.fsmonitor')
  mkdirSync(join(root, 'link'))
  writeFileSync(join(root, 'link/HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(root, 'link/commondir'), '../store \n')
  writeFileSync(join(root, 'kind/.git'), 'gitdir: ../link\n')
  expect(await repositoryProblem(join(root, 'kind'), STATUS, root)).toContain('core.fsmonitor')
})

it('asks for a .git file that can be interpreted in more than one way', async () => {
  renameSync(join(repository('kind'), '.git'), join(root, 'store'))
  for (const end of [Buffer.from([0xff]), Buffer.from('\0x'), Buffer.from(`/${'./'.repeat(9_000)}`)]) {
    writeFileSync(join(root, 'kind/.git'), Buffer.concat([Buffer.from('gitdir: ../store'), end, Buffer.from('\n')]))
    expect(await repositoryProblem(join(root, 'kind'), STATUS, root)).toBeDefined()
  }
})

it("reads a linked worktree's own settings", async () => {
  const main = repository('main')
  git(main, 'commit', '-q', '--allow-empty', '-m', 'x')
  git(main, 'worktree', 'add', '-q', join(root, 'linked'))
  git(main, 'config', 'extensions.worktreeConfig', 'true')
  expect(await repositoryProblem(join(root, 'linked'), STATUS, root)).toBeUndefined()
  writeFileSync(join(main, '.git/worktrees/linked/config.worktree'), ARMED)
  expect(await repositoryProblem(join(root, 'linked'), STATUS, root)).toContain('core.fsmonitor')
})

it('asks for a submodule whose name is not UTF-8', async () => {
  const main = repository('.')
  git(main, 'commit', '-q', '--allow-empty', '-m', 'x')
  const head = git(main, 'rev-parse', 'HEAD').trim()
  const entry = Buffer.concat([Buffer.from(`160000 ${head} 0\ts`), Buffer.from([0xff]), Buffer.from('b\0')])
  execFileSync('git', ['-C', main, 'update-index', '-z', '--index-info'], { input: entry })
  expect(await repositoryProblem(main, STATUS, root)).toBeDefined()
})

it('finds submodules with programs and secrets in an index of any version, whether or not .gitmodules lists them', async () => {
  const main = repository('.')
  git(main, 'commit', '-q', '--allow-empty', '-m', 'x')
  const sub = repository('deep/sub')
  git(sub, 'commit', '-q', '--allow-empty', '-m', 'x')
  for (const name of ['a.txt', 'deep/a.txt', 'deep/sub-more', `${'long/'.repeat(60)}x`, 'z.txt']) {
    mkdirSync(join(main, name, '..'), { recursive: true })
    writeFileSync(join(main, name), 'x')
  }
  git(main, 'add', '.')
  for (const version of ['2', '3', '4']) {
    git(main, 'update-index', '--index-version', version)
    expect(await repositoryProblem(main, STATUS, root)).toBeUndefined()
    writeFileSync(join(sub, '.git/config.worktree'), ARMED)
    expect(await repositoryProblem(main, STATUS, root)).toContain('core.fsmonitor')
    writeFileSync(join(sub, '.git/config.worktree'), '')
    const tracked: RepositoryRead = { ...STATUS, contents: 'tracked' }
    expect(await repositoryProblem(main, tracked, root)).toBeUndefined()
    writeFileSync(join(main, 'y.env'), '')
    writeFileSync(join(main, '.env'), '')
    git(main, 'add', '-f', '.env')
    expect(await repositoryProblem(main, tracked, root)).toContain('.env is tracked')
    git(main, 'rm', '-q', '--cached', '.env')
  }
})
