import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GitActions } from '../../src/main/engine/git/git-actions'
import { takeProjectSnapshot } from '../../src/main/engine/context/facts/project-snapshot'
import { createGitLab, labEnvironment, type GitLab } from '../support/git-lab'
import { startModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, writeConfig } from '../support/scratch'

let lab: GitLab
let marker: string
beforeEach(() => {
  lab = createGitLab()
  marker = join(lab.root, 'ran')
})
afterEach(() => lab.remove())

const HOOKS = [
  'pre-commit',
  'post-checkout',
  'post-index-change',
  'reference-transaction',
  'fsmonitor-watchman',
  'pre-push',
]

/** A repository that tries to run programs in every known way; each program writes its name to the marker. */
function hostile(name: string): string {
  const repo = lab.repository(name, { 'a.txt': 'one\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' })
  const inner = lab.repository(`${name}-inner`)
  lab.git(repo, 'submodule', '--quiet', 'add', inner, 'sub')
  lab.git(repo, 'commit', '-qm', 'sub')
  lab.git(repo, 'branch', 'other')
  const run = (what: string): string => `sh -c 'echo ${what} >> ${marker}; cat'`
  const included = join(lab.root, 'included')
  writeFileSync(included, `[core]\n\tfsmonitor = ${run('included')}\n`)
  const settings: Record<string, string> = {
    'core.fsmonitor': run('fsmonitor'),
    'core.hooksPath': join(lab.root, `${name}-hooks`),
    'core.sshCommand': run('ssh'),
    'core.pager': run('pager'),
    'core.editor': run('editor'),
    'core.askPass': run('askpass'),
    'core.gitProxy': run('proxy'),
    'core.alternateRefsCommand': run('alternates'),
    'sequence.editor': run('sequence'),
    'diff.external': run('external'),
    'diff.evil.textconv': run('textconv'),
    'diff.evil.command': run('command'),
    'merge.evil.driver': run('driver'),
    'filter.evil.clean': run('clean'),
    'filter.evil.smudge': run('smudge'),
    'filter.evil.process': run('process'),
    'filter.evil.required': 'true',
    'gpg.program': run('gpg'),
    'gpg.ssh.defaultKeyCommand': run('key'),
    'credential.helper': `!${run('credential')}`,
    'alias.status': `!${run('alias')}`,
    'alias.log': `!${run('alias')}`,
    'submodule.sub.update': `!${run('update')}`,
    'uploadpack.packObjectsHook': run('pack'),
    'log.showSignature': 'true',
    'submodule.recurse': 'true',
    'include.path': included,
    'url.ext::sh -c x.insteadOf': 'https://',
    'protocol.ext.allow': 'always',
    'remote.origin.url': `ext::sh -c echo% ext% >>% ${marker}`,
    'remote.origin.uploadpack': run('uploadpack'),
    'pager.status': run('pager-status'),
    'interactive.diffFilter': run('diff-filter'),
    'trailer.x.command': run('trailer'),
  }
  for (const [key, value] of Object.entries(settings)) lab.git(repo, 'config', key, value)
  for (const folder of [join(repo, '.git/hooks'), join(lab.root, `${name}-hooks`)]) {
    mkdirSync(folder, { recursive: true })
    for (const hook of HOOKS) {
      writeFileSync(join(folder, hook), `#!/bin/sh\necho hook ${hook} >> '${marker}'\n`)
      chmodSync(join(folder, hook), 0o755)
    }
  }
  lab.git(join(repo, 'sub'), 'config', 'core.fsmonitor', run('submodule'))
  lab.git(join(repo, 'sub'), 'config', 'filter.evil.clean', run('submodule-clean'))
  writeFileSync(join(repo, 'a.txt'), 'two\n')
  writeFileSync(join(repo, 'sub/a.txt'), 'two\n')
  writeFileSync(join(repo, 'new.txt'), 'new\n')
  rmSync(marker, { force: true })
  return repo
}

/** Every action that a pane can call. */
function everything(git: GitActions, repo: string): Record<string, () => Promise<unknown>> {
  const path = 'a.txt'
  const hash = 'a'.repeat(40)
  return {
    status: () => git.status(repo),
    diff: () => git.diff(repo, { path, side: 'unstaged' }),
    stage: () => git.stage(repo, [path]),
    stageAll: () => git.stage(repo, 'all'),
    unstage: () => git.unstage(repo, 'all'),
    discard: () => git.discard(repo, [path]),
    hunks: () => git.stageHunks(repo, { path, hunkIds: ['x'] }),
    restore: () => git.restoreKept(repo, '1-a'),
    commit: () => git.commit(repo, { message: 'm', amend: false }),
    message: () => git.lastMessage(repo),
    draft: () => git.draftMessage(repo),
    branches: () => git.branches(repo),
    create: () => git.createBranch(repo, { name: 'x', checkout: true }),
    switch: () => git.switch(repo, 'refs/heads/other'),
    stashes: () => git.stashes(repo),
    stash: () => git.saveStash(repo, { message: '', untracked: true }),
    fetch: () => git.fetch(repo, undefined),
    pull: () => git.pull(repo, 'rebase'),
    push: () => git.push(repo, {}),
    log: () => git.log(repo, { all: true, skip: 0, limit: 9 }),
    details: () => git.commitDetails(repo, hash),
    blame: () => git.blame(repo, path),
    conflict: () => git.conflictFile(repo, path),
    abort: () => git.abortOperation(repo),
    request: () => git.pullRequest(repo),
  }
}

const ran = (): string => (existsSync(marker) ? readFileSync(marker, 'utf8') : '')

test('no program of a hostile repository runs before it is trusted, for any request', async () => {
  const repo = hostile('evil')
  expect(await lab.actions.summary(repo)).toEqual({ state: 'untrusted', branch: 'main' })
  for (const [name, call] of Object.entries(everything(lab.actions, repo))) {
    const error: unknown = await call().catch((reason: unknown) => reason)
    expect({ name, error }).toMatchObject({ name, error: { code: 'git.untrusted' } })
  }
  const { state, programs } = await lab.actions.trustView(repo)
  expect(state).toBe('asked')
  for (const key of [
    'core.fsmonitor',
    'filter.evil.clean',
    'include.path',
    'credential.helper',
    'alias.status',
    'hook pre-commit',
  ])
    expect(programs.join('\n')).toContain(key)
  expect(ran()).toBe('')
  // The marker works: git itself runs them.
  expect(() => lab.git(repo, 'status')).toThrow(/evil/)
  expect(ran()).not.toBe('')
})

test('a session in a hostile repository is started, works and lists files without running anything of it', async () => {
  const repo = hostile('session')
  const env = labEnvironment(lab.root)
  await takeProjectSnapshot({ folder: repo, top: repo }, { env, cwd: lab.home })
  const model = await startModelServer({
    script: [
      { toolCalls: [{ name: 'Grep', input: { pattern: 'two' } }] },
      { toolCalls: [{ name: 'Glob', input: { pattern: '**/*.txt' } }] },
      { toolCalls: [{ name: 'Read', input: { path: 'a.txt' } }] },
      { text: 'Done.' },
    ],
  })
  try {
    writeConfig(lab.home, configFor(model.baseUrl))
    const { code } = await runCli(['print', 'look', '--cwd', repo], { home: lab.home })
    expect(code).toBe(0)
    expect(ran()).toBe('')
  } finally {
    await model.close()
  }
})

test('a .git file that points to a hostile repository, and one in a subfolder, are not trusted either', async () => {
  const repo = hostile('target')
  const folder = join(lab.root, 'link')
  mkdirSync(folder)
  renameSync(join(repo, '.git'), join(lab.root, 'target-git'))
  writeFileSync(join(folder, '.git'), `gitdir: ${join(lab.root, 'target-git')}\n`)
  expect(await lab.actions.summary(folder)).toEqual({ state: 'untrusted', branch: 'main' })
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  expect(await lab.actions.summary(join(folder, 'deep/er'))).toMatchObject({ state: 'untrusted' })
  await expect(lab.actions.status(join(folder, 'deep/er'))).rejects.toMatchObject({ code: 'git.untrusted' })
  expect(ran()).toBe('')
})

test('a bare repository hidden among the files of a project is not used for it', async () => {
  const repo = lab.repository('outer')
  const bare = hostile('hidden')
  renameSync(join(bare, '.git'), join(repo, 'docs'))
  lab.git(join(repo, 'docs'), '--git-dir=.', 'config', 'core.bare', 'true')
  rmSync(marker, { force: true })
  expect(await lab.actions.summary(join(repo, 'docs'))).toMatchObject({ state: 'ready', branch: 'main' })
  expect((await lab.actions.status(join(repo, 'docs'))).top).toBe(repo)
  expect(ran()).toBe('')
})

test('asks about or omits a working tree elsewhere, odd settings and a HEAD with escape sequences', async () => {
  const repo = lab.repository('odd')
  writeFileSync(join(repo, '.git/HEAD'), 'ref: refs/heads/\u001b[31mred\u202e\n')
  for (const text of [
    '[core]\n\tworktree = /\n',
    '[core] fsmonitor = x\n',
    '[core]\n\tfsmon\\\nitor = x\n',
    '[include]\n\tpath = /tmp/x\n',
    '[includeIf "gitdir:/"]\n\tpath = /tmp/x\n',
    '[remote "x"]\n\tvcs = evil\n',
    '[gc]\n\trecentObjectsHook = x\n',
    '[lfs "customtransfer.x"]\n\tpath = x\n',
  ]) {
    writeFileSync(join(repo, '.git/config'), text)
    expect([text, await lab.actions.summary(repo)]).toEqual([text, { state: 'untrusted' }])
  }
})

test('hooks in a folder of the repository that the user’s own settings name are asked about, and the user’s own are not', async () => {
  const own = join(lab.root, 'own-hooks')
  for (const [hooksPath, state] of [
    ['.githooks', 'asked'],
    [own, 'none'],
  ] as const) {
    const user = createGitLab({ settings: `[core]\n\thooksPath = ${hooksPath}\n` })
    try {
      const repo = user.repository('r', {})
      user.write(repo, { '.githooks/pre-commit': '#!/bin/sh\n' })
      chmodSync(join(repo, '.githooks/pre-commit'), 0o755)
      expect(await user.actions.trustView(repo)).toMatchObject({ state })
    } finally {
      user.remove()
    }
  }
})

test('trust covers what was shown, and ends when a hook changes', async () => {
  const repo = lab.repository('trust')
  const hook = join(repo, '.git/hooks/post-checkout')
  writeFileSync(hook, '#!/bin/sh\ntrue\n')
  chmodSync(hook, 0o755)
  const shown = await lab.actions.trustView(repo)
  writeFileSync(hook, `#!/bin/sh\necho changed >> '${marker}'\n`)
  await expect(lab.actions.trust(repo, shown.hash)).rejects.toMatchObject({ code: 'git.changed' })
  await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
  await lab.actions.createBranch(repo, { name: 'b', checkout: true })
  expect(ran()).toBe('changed\n')
  writeFileSync(hook, `#!/bin/sh\necho again >> '${marker}'\n`)
  await expect(lab.actions.switch(repo, 'refs/heads/main')).rejects.toMatchObject({ code: 'git.untrusted' })
  expect(ran()).toBe('changed\n')
})

test('file monitors, pagers, external diffs and text conversions stay off in a trusted repository', async () => {
  const repo = lab.repository('trusted', { 'a.txt': 'one\n', '.gitattributes': '* diff=own\n' })
  const run = (what: string): string => `sh -c 'echo ${what} >> ${marker}; cat'`
  for (const key of [
    'core.fsmonitor',
    'core.pager',
    'diff.external',
    'diff.own.textconv',
    'diff.own.command',
    'core.editor',
  ])
    lab.git(repo, 'config', key, run(key))
  rmSync(marker, { force: true })
  await lab.actions.trust(repo, (await lab.actions.trustView(repo)).hash)
  lab.write(repo, { 'a.txt': 'two\n' })
  expect((await lab.actions.diff(repo, { path: 'a.txt', side: 'unstaged' })).hunks[0]!.text).toContain('-one\n+two\n')
  await lab.actions.stage(repo, 'all')
  const { hash } = await lab.actions.commit(repo, { message: 'two', amend: false })
  await lab.actions.commitDiff(repo, { hash, path: 'a.txt' })
  await lab.actions.blame(repo, 'a.txt')
  await lab.actions.log(repo, { all: true, skip: 0, limit: 9 })
  expect(ran()).toBe('')
})
