import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startChat } from '../support/chat-terminal'
import { startModelServer, type ModelServer } from '../support/model-server'
import { required } from '../support/required'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer

beforeEach(async () => {
  scratch = createScratch({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' })
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', scratch.project, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'first')
  server = await startModelServer({
    script: [{ text: 'First answer.' }, { text: 'Second answer.' }, { text: 'Third answer.' }, { text: 'Fourth.' }],
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const print = (cwd: string, ...args: string[]) => runCli(['print', ...args, '--cwd', cwd], { home: scratch.home })
/** The folder of the only worktree. */
function worktree(): string {
  const root = join(scratch.home, '..', '.trestle-worktrees')
  return join(
    root,
    required(
      readdirSync(root).find((name) => !name.startsWith('.')),
      'the worktree',
    ),
  )
}
const lastRequest = (): string => JSON.stringify(required(server.requests.at(-1), 'the request').body)

describe('a session in a worktree', () => {
  it('is continued in print mode from the project, from the worktree and by its id', async () => {
    expect(await print(scratch.project, '--worktree', 'begin the work')).toMatchObject({ code: 0 })
    const folder = worktree()
    const fromProject = await print(scratch.project, '--continue', 'continue there')
    expect([fromProject.code, fromProject.stdout]).toEqual([0, 'Second answer.\n'])
    expect(lastRequest()).toContain('begin the work')
    expect(lastRequest()).toContain(folder)
    const fromWorktree = await print(folder, '--continue', 'once more')
    expect([fromWorktree.code, fromWorktree.stdout]).toEqual([0, 'Third answer.\n'])
    expect(lastRequest()).toContain('continue there')
    const listed = await runCli(['session', 'list', '--json'], { home: scratch.home })
    const id = required(/"sessionId":\s*"([^"]+)"/.exec(listed.stdout)?.[1], 'the session')
    expect(await print(scratch.project, '--session', id, 'the last')).toMatchObject({ code: 0, stdout: 'Fourth.\n' })
    expect(readdirSync(join(folder, '..')).filter((name) => !name.startsWith('.'))).toHaveLength(1)
  })

  it('that is older than one in the project is not treated as the latest', async () => {
    await print(scratch.project, '--worktree', 'in the worktree')
    await print(scratch.project, 'in the project')
    await print(scratch.project, '--continue', 'and now')
    expect(lastRequest()).toContain('in the project')
    expect(lastRequest()).not.toContain('in the worktree')
    await print(worktree(), '--continue', 'and there')
    expect(lastRequest()).toContain('in the worktree')
  })

  it('of a folder of the project is continued from that folder, and from no other', async () => {
    await print(join(scratch.project, 'sub'), '--worktree', 'begin below')
    const below = await print(join(scratch.project, 'sub'), '--continue', 'more')
    expect([below.code, lastRequest().includes('begin below')]).toEqual([0, true])
    const above = await print(scratch.project, '--continue', 'more')
    expect([above.code, above.stderr.includes('There is no session')]).toEqual([1, true])
    mkdirSync(join(scratch.project, 'other'))
    expect(await print(join(scratch.project, 'other'), '--continue', 'more')).toMatchObject({ code: 1 })
  })

  it('whose worktree was removed explains how to restore it, and then continues', async () => {
    await print(scratch.project, '--worktree', 'begin the work')
    const id = required(worktree().split('/').at(-1), 'the id')
    expect(await runCli(['worktree', 'remove', id], { home: scratch.home })).toMatchObject({ code: 0 })
    const refused = await print(scratch.project, '--continue', 'more')
    expect([refused.code, refused.stderr.includes(`trestle worktree restore ${id}`)]).toEqual([1, true])
    expect(await runCli(['worktree', 'restore', id], { home: scratch.home })).toMatchObject({ code: 0 })
    expect(await print(scratch.project, '--continue', 'more')).toMatchObject({ code: 0, stdout: 'Second answer.\n' })
  })

  it('is continued in chat from the project, and listed there with its branch', async () => {
    await print(scratch.project, '--worktree', '--branch', 'make-it', 'begin the work')
    await print(scratch.project, 'in the project')
    const chat = startChat(['--cwd', scratch.project, '--continue'], { home: scratch.home })
    try {
      await chat.shows('in the project')
      chat.type('/sessions\r')
      await chat.shows(/2 .*begin the work.*worktree make-it/)
      chat.type('/resume 2\r')
      await chat.shows('First answer.')
      chat.type('continue here\r')
      await chat.shows('Third answer.')
      expect(lastRequest()).toContain(worktree())
      chat.type('/quit\r')
      await chat.ended
    } finally {
      chat.kill()
    }
  })
})
