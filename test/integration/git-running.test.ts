import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGit } from '../../src/main/engine/git/create-git'
import { createRunGit, type RunGit } from '../../src/main/engine/git/run/run-git'
import { createGitLab, labEnvironment, type GitLab } from '../support/git-lab'

let lab: GitLab
let run: RunGit
beforeEach(() => {
  lab = createGitLab()
  run = createRunGit({ env: () => labEnvironment(lab.root), neutralFolder: lab.home })
})
afterEach(() => lab.remove())

function program(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(folder, name), 0o755)
}

/** Our actions with other programs on PATH. */
function actionsWith(path: string) {
  return createGit({
    home: lab.home,
    now: () => Date.now(),
    env: async () => ({ ...labEnvironment(lab.root), PATH: path }),
    folderOf: (sessionId) => sessionId,
    notify: () => undefined,
    agentTrace: async () => 'process 5 started it',
    draft: async () => 'Draft',
  })
}

test('prints bytes unchanged, and stops commands that print too much or take too long', async () => {
  const repo = lab.repository('r', { 'a.bin': Buffer.from([0xff, 0, 0x0d, 0x0a]) })
  const at = { level: 'trusted', folder: repo } as const
  expect([...(await run({ ...at, args: ['show', 'HEAD:a.bin'] })).stdout]).toEqual([0xff, 0, 0x0d, 0x0a])
  await expect(run({ ...at, args: ['log', '-p'], maxBytes: 10 })).rejects.toMatchObject({ code: 'git.too_large' })
  // A hook that never ends, because everything else may be faster than the shortest limit.
  program(join(repo, '.git/hooks'), 'pre-commit', 'exec sleep 600')
  lab.write(repo, { 'a.bin': 'two\n' })
  await expect(run({ ...at, write: true, args: ['commit', '-qam', 'm'], timeoutMs: 1 })).rejects.toMatchObject({
    code: 'git.timeout',
  })
})

test('a canceled command is stopped with everything it has started', async () => {
  const repo = lab.repository('r')
  const started = join(lab.root, 'started')
  program(join(repo, '.git/hooks'), 'pre-commit', `echo $$ > '${started}'\nexec sleep 600`)
  lab.write(repo, { 'a.txt': 'two\n' })
  lab.git(repo, 'add', '-A')
  const controller = new AbortController()
  const commit = run({
    level: 'trusted',
    folder: repo,
    write: true,
    args: ['commit', '-qm', 'm'],
    signal: controller.signal,
  })
  const failure = commit.catch((error: unknown) => error)
  await expect.poll(() => existsSync(started)).toBe(true)
  controller.abort()
  expect(await failure).toMatchObject({ code: 'request.cancelled' })
  expect(existsSync(join(repo, '.git/index.lock'))).toBe(false)
  expect(lab.git(repo, 'rev-list', '--count', 'HEAD').trim()).toBe('1')
  expect(readdirSync(lab.home).filter((name) => name.startsWith('git-trace'))).toEqual([])
})

test('without trust git sees no repository, and without git it says what to install', async () => {
  const repo = lab.repository('r')
  await expect(run({ level: 'untrusted', folder: repo, args: ['status'] })).rejects.toMatchObject({
    code: 'git.no_repository',
  })
  expect((await run({ level: 'untrusted', folder: repo, args: ['check-ref-format', '--branch', 'ok'] })).code).toBe(0)
  const nowhere = createRunGit({ env: () => ({ PATH: lab.home }), neutralFolder: lab.home })
  await expect(nowhere({ level: 'trusted', folder: repo, args: ['status'] })).rejects.toMatchObject({
    code: 'git.missing',
  })
})

test('variables that refer to another repository are not passed on', async () => {
  const repo = lab.repository('r')
  const other = lab.repository('other', { 'b.txt': 'b\n' })
  const misled = createRunGit({
    env: () => ({
      ...labEnvironment(lab.root),
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: '/x',
    }),
    neutralFolder: lab.home,
  })
  const { stdout } = await misled({ level: 'trusted', folder: repo, args: ['ls-files'] })
  expect(stdout.toString()).toBe('a.txt\n')
})

test('an agent’s command cannot trust a repository', async () => {
  const repo = lab.repository('r')
  program(join(repo, '.git/hooks'), 'pre-commit', 'true')
  const actions = actionsWith(process.env['PATH'] ?? '')
  const { hash } = await actions.trustView(repo)
  await expect(actions.trust(repo, hash)).rejects.toMatchObject({ code: 'git.not_user' })
  expect(await actions.trustView(repo)).toMatchObject({ state: 'asked' })
})

test('a pull request is drafted from the commits, and created with gh', async () => {
  const origin = lab.repository('origin', {}, ['--bare'])
  const repo = lab.repository('r')
  lab.git(repo, 'remote', 'add', 'origin', origin)
  lab.git(repo, 'push', '-q', 'origin', 'main')
  lab.git(repo, 'switch', '-qc', 'fix/prices')
  lab.write(repo, { 'a.txt': 'two\n' })
  lab.git(repo, 'commit', '-qam', 'prices: integers\n\nWhy not.')
  lab.git(repo, 'remote', 'set-url', 'origin', 'git@github.com:ada/shop.git')
  const bin = join(lab.root, 'bin')
  const without = actionsWith(process.env['PATH'] ?? '')
  const url = 'https://github.com/ada/shop/compare/main...fix/prices?expand=1'
  const expected = {
    branch: 'fix/prices',
    base: 'main',
    title: 'prices: integers',
    body: 'Why not.',
    url,
    needsPush: true,
  }
  expect(await without.pullRequest(repo)).toEqual(expected)
  program(
    bin,
    'gh',
    `printf '%s\\n' "$@" > '${join(lab.root, 'asked')}'\n` +
      `cat >> '${join(lab.root, 'asked')}'\necho https://github.com/ada/shop/pull/7`,
  )
  const actions = actionsWith(`${bin}:${process.env['PATH'] ?? ''}`)
  expect(await actions.pullRequest(repo)).toEqual({ ...expected, tool: 'gh' })
  const request = { title: 'T; touch x', body: 'B\n', base: 'main', draft: true }
  expect(await actions.createPullRequest(repo, request)).toBe('https://github.com/ada/shop/pull/7')
  expect(readFileSync(join(lab.root, 'asked'), 'utf8').split('\n')).toEqual([
    'pr',
    'create',
    '--head',
    'fix/prices',
    '--base',
    'main',
    '--title',
    'T; touch x',
    '--body-file',
    '-',
    '--draft',
    'B',
    '',
  ])
  program(bin, 'gh', 'echo "a pull request for this branch exists" >&2\nexit 1')
  await expect(actions.createPullRequest(repo, request)).rejects.toMatchObject({
    code: 'git.failed',
    message: 'a pull request for this branch exists',
  })
})

test('a repository of another user is not used', async () => {
  const repo = lab.repository('r')
  const assumed = createRunGit({
    env: () => ({ ...labEnvironment(lab.root) }),
    neutralFolder: lab.home,
  })
  await expect(
    assumed({ level: 'trusted', folder: repo, args: ['status'], env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } }),
  ).rejects.toMatchObject({ code: 'git.ownership' })
})
