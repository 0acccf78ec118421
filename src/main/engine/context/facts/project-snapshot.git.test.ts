import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../../test/support/scratch'
import { gitState } from './project-snapshot'

let scratch: Scratch
let env: Record<string, string>

beforeEach(() => {
  scratch = createScratch({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
  env = { PATH: process.env['PATH'] ?? '', HOME: scratch.home }
})
afterEach(() => scratch.remove())

const git = (...args: string[]): void => {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'init.defaultBranch=trunk']
  execFileSync('git', [...who, ...args], { cwd: scratch.project, env, stdio: 'pipe' })
}
const commit = (message: string): void => {
  git('add', '.')
  git('commit', '-m', message)
}
const state = () => gitState(scratch.project, { env, cwd: scratch.home })
const at = (path: string): string => join(scratch.project, path)

it('reports the branch, the number of changed or new files, and the first line of the last commit', async () => {
  git('init')
  expect(await state()).toEqual({ branch: 'trunk', changedFiles: 2 })
  commit('First one\n\nwith a body')
  expect(await state()).toEqual({ branch: 'trunk', changedFiles: 0, lastCommit: 'First one' })
  writeFileSync(at('a.txt'), 'changed\n')
  writeFileSync(at('new file.txt'), 'new\n')
  expect(await state()).toEqual({ branch: 'trunk', changedFiles: 2, lastCommit: 'First one' })
  git('checkout', '--detach')
  expect(await state()).toEqual({ changedFiles: 2, lastCommit: 'First one' })
})

it('is undefined if git cannot run or the folder is not a repository', async () => {
  expect(await state()).toBeUndefined()
  git('init')
  expect(
    await gitState(scratch.project, { env: { PATH: '/nowhere', HOME: scratch.home }, cwd: scratch.home }),
  ).toBeUndefined()
})

it('runs no program of a repository: no hook, file monitor, filter, signature check or pager', async () => {
  git('init')
  commit('First')
  const trap = join(scratch.home, 'trap.sh')
  const ran = join(scratch.home, 'ran')
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 })
  mkdirSync(at('.git/hooks'), { recursive: true })
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'post-checkout', 'reference-transaction'])
    writeFileSync(at(`.git/hooks/${hook}`), `#!/bin/sh\necho ${hook} >> ${ran}\n`, { mode: 0o755 })
  appendFileSync(
    at('.git/config'),
    [
      `[core]\n\tfsmonitor = ${trap}\n\tpager = ${trap}\n\tsshCommand = ${trap}`,
      `[log]\n\tshowSignature = true`,
      `[gpg]\n\tprogram = ${trap}`,
      `[pager]\n\tstatus = ${trap}\n\tlog = ${trap}`,
      `[diff]\n\texternal = ${trap}`,
      '',
    ].join('\n'),
  )
  writeFileSync(at('a.txt'), 'a changed one\n')
  const index = statSync(at('.git/index')).mtimeMs
  expect(await state()).toEqual({ branch: 'trunk', changedFiles: 1, lastCommit: 'First' })
  expect(statSync(at('.git/index')).mtimeMs).toBe(index)
  expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('')

  // Comparing a file whose time has changed would run its filter, so nothing is compared.
  writeFileSync(at('.gitattributes'), '*.txt filter=trap\n')
  writeFileSync(at('included'), `[filter "trap"]\n\tclean = ${trap}\n`)
  appendFileSync(at('.git/config'), '[include]\n\tpath = ../included\n')
  writeFileSync(at('a.txt'), 'b\n')
  expect(await state()).toEqual({ branch: 'trunk', lastCommit: 'First' })
  expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('')
  // The trap works: plain git triggers it.
  git('status')
  expect(readFileSync(ran, 'utf8')).toContain('trap.sh')
})

it('is not pointed to another repository by the variables Trestle was started with', async () => {
  git('init')
  commit('Mine')
  const other = createScratch({ 'x.txt': 'x\n' })
  try {
    execFileSync('git', ['init'], { cwd: other.project, env, stdio: 'pipe' })
    env = { ...env, GIT_DIR: join(other.project, '.git'), GIT_WORK_TREE: other.project }
    expect((await state())?.lastCommit).toBe('Mine')
  } finally {
    other.remove()
  }
})
