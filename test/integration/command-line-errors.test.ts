import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { jsonLines } from '../support/small-disk'
import { until } from '../support/until'

let scratch: Scratch
let model: ModelServer
beforeAll(async () => {
  scratch = createScratch({ 'notes.md': 'text\n' })
  model = await startModelServer({
    script: () => ({ text: 'word '.repeat(5000), deltaChars: 5, faults: { eventDelayMs: 20 } }),
  })
})
afterAll(async () => {
  await model.close()
  scratch.remove()
})

/** A separate home, with or without a model. */
function home(name: string, hasModel = false): string {
  const path = join(scratch.home, name)
  mkdirSync(path, { recursive: true })
  if (hasModel) writeConfig(path, configFor(model.baseUrl))
  return path
}

describe('a mistake on the command line is reported with what to do next', () => {
  it.each<[args: string[], code: number, says: RegExp, stdin?: string]>([
    // The result of an unset shell variable; a default could work in the wrong folder.
    [['print', 'x', '--cwd', ''], 2, /--cwd needs a value and got an empty one: --cwd DIR/],
    [['print', 'x', '--model='], 2, /--model needs a value/],
    [['chat', '-S', ''], 2, /-S needs a value/],
    [['session', 'frobnicate'], 2, /Unknown "frobnicate"\. There are: list, show, restore/],
    [['task', 'frobnicate'], 2, /Unknown "frobnicate"\. There are: list, output, stop/],
    [['mcp', 'frobnicate'], 2, /Unknown "frobnicate"\. There are: list, add, import/],
    [['print', 'why', '-v', 'fails'], 2, /put the whole prompt in quotes/],
    [['sandbox', 'try', 'ls', '-la'], 2, /put the whole command in quotes/],
    [['permission', 'check', 'ls', '-la'], 2, /put the whole command in quotes/],
    [['permission', 'check', ' '], 2, /Give one command/],
    [['print', 'x', '--agent-file', '.'], 2, /--agent-file: .* is not a file/],
    [['print', 'x', '--mcp-config-file', '.'], 2, /--mcp-config-file: .* is a folder, not a file/],
    [['mcp', 'import', '-'], 2, /Nothing came on stdin/],
    [['session', 'recover', '.'], 1, /is a folder\. Name a file: a damaged trestle\.db, or a backup/],
    [['session', 'recover', 'notes.md'], 1, /Nothing in notes\.md could be read as a session/],
    [['print', 'x'], 1, /trestle provider add NAME.*trestle model default/],
    [['print', 'x', '--model', 'none/such'], 1, /trestle model list/],
    [['session', 'show', 'session-none'], 1, /trestle session list/],
    [['task', 'output', 'bash-none'], 1, /trestle task list --all/],
  ])('%j', async (args, code, says) => {
    const run = await runCli(args, { home: home('empty'), cwd: scratch.project })
    expect(run).toMatchObject({ code, stderr: expect.stringMatching(says) })
    expect(run.stderr).not.toMatch(/Settings|\n {4}at /)
  })

  it('fails for an import that cannot be read', async () => {
    const run = await runCli(['mcp', 'import', '-'], { home: home('empty'), cwd: scratch.project, stdin: '{bad' })
    expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('line 1') })
  })

  it('names a removed current folder as the problem', async () => {
    const within = (command: readonly string[]) => [
      'sh',
      '-c',
      'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
      'sh',
      ...command,
    ]
    for (const command of [
      ['print', 'x'],
      ['mcp', 'list'],
      ['permission', 'check', 'ls'],
    ]) {
      const run = await runCli(command, { home: home('empty'), cwd: scratch.project, within })
      expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('The current folder no longer exists.') })
    }
  })
})

describe('an unusable home folder is reported with the reason', () => {
  it.each<[what: string, env: () => Record<string, string>, says: RegExp]>([
    ['a file', () => ({ TRESTLE_HOME: file() }), /file is a file, not a folder\./],
    ['below a file', () => ({ TRESTLE_HOME: join(file(), 'below') }), /a part of the path is a file/],
    ['a name that is too long', () => ({ TRESTLE_HOME: join(scratch.home, 'x'.repeat(300)) }), /the path is too long/],
    // It would be created in the project, which could then provide its own settings.
    ['an empty HOME', () => ({ TRESTLE_HOME: '', HOME: '' }), /HOME is "", which is not an absolute path/],
    ['a relative HOME', () => ({ TRESTLE_HOME: '', HOME: 'here' }), /HOME is "here", which is not an absolute path/],
  ])('%s', async (_what, env, says) => {
    const run = await runCli(['session', 'list'], { home: scratch.home, cwd: scratch.project, env: env() })
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(says) })
    expect(run.stderr).toContain('set TRESTLE_HOME to a folder')
  })

  const file = (): string => {
    const path = join(scratch.home, 'file')
    writeFileSync(path, '')
    return path
  }
})

describe('print', () => {
  it('rejects tens of millions of characters without a blank as too long, not as a bug', async () => {
    const run = await runCli(['print', 'x'], {
      home: home('model', true),
      cwd: scratch.project,
      stdin: 'a'.repeat(20_000_000),
    })
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The conversation is too long for this model'),
    })
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends its turn and prints the result at %s', async (signal) => {
    const asked = model.requests.length
    const args = ['print', 'talk', '--output-format', 'stream-json']
    const child = startCli(args, { home: home('model', true), cwd: scratch.project })
    child.stdin.end()
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += String(chunk)))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    await model.arrived(asked + 1)
    await until(() => out.includes('text.delta'), 'the first words')
    child.kill(signal)
    expect(await ended).toBe(130)
    expect(jsonLines<object>(out).slice(-2)).toMatchObject([
      { type: 'turn.finished', stop: 'cancelled' },
      { type: 'result', stop: 'cancelled' },
    ])
  })
})
