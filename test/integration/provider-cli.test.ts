import { spawn } from 'node-pty'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
beforeEach(async () => {
  scratch = createScratch({})
  server = await startModelServer({ script: [{ text: 'fine' }, { text: 'hello' }], models: ['small', 'large'] })
})
afterEach(async () => {
  await server.close()
  scratch.remove()
})

const trestle = (args: string[], more: { stdin?: string; env?: Record<string, string> } = {}): Promise<CliRun> =>
  runCli(args, { home: scratch.home, cwd: scratch.project, ...more })
const worked = async (args: string[], stdin?: string): Promise<string> => {
  const run = await trestle(args, { ...(stdin !== undefined && { stdin }) })
  expect(run).toMatchObject({ code: 0 })
  return run.stdout
}
const config = (): string => readFileSync(join(scratch.home, 'config.toml'), 'utf8')
const addLocal = (): Promise<string> =>
  worked(['provider', 'add', 'local', '--base-url', server.baseUrl, '--key-stdin'], 'sk-the-key\n')

it('a terminal is enough from setup to the first answer, and the key is only in the store', async () => {
  const added = await addLocal()
  expect(added).toMatch(
    /^Added local \(openai-compatible\) to .*config\.toml\. Its key is stored\. Keys are stored in a file that only you can read, because .*\.\n/,
  )
  expect(config()).not.toContain('sk-the-key')
  expect(await worked(['provider', 'list'])).toMatch(/local +openai-compatible +stored/)
  expect(await worked(['provider', 'test', 'local'])).toContain('ok: local offers 2 models.')
  expect(await worked(['model', 'list', 'local'])).toMatch(/local\/small[\s\S]*local\/large/)
  expect(await worked(['model', 'default', 'local/large'])).toBe('New sessions use local/large.\n')
  expect(await worked(['model', 'default'])).toBe('local/large\n')
  expect(await worked(['model', 'test', 'local/large'])).toMatch(/^ok .*fine/)
  expect(await worked(['print', 'hi'])).toBe('hello\n')
  expect(server.requests.at(-1)!.headers['authorization']).toBe('Bearer sk-the-key')
})

it('models are added, listed in the same format as the old command, and removed; a provider is removed with its models', async () => {
  await addLocal()
  await worked(['model', 'add', 'local/mine', '--name', 'mine-v2', '--context-window', '32768', '--label', 'Mine'])
  expect(JSON.parse(await worked(['model', 'list', '--json']))).toEqual(JSON.parse(await worked(['models', '--json'])))
  expect(JSON.parse(await worked(['models', '--json']))).toContainEqual(
    expect.objectContaining({ id: 'local/mine', contextWindow: 32_768 }),
  )
  expect(config()).toContain('model = "mine-v2"')
  await worked(['model', 'remove', 'local/mine'])
  expect(config()).not.toContain('mine-v2')
  await worked(['model', 'add', 'local/small'])
  await worked(['provider', 'remove', 'local'])
  expect(config()).not.toMatch(/local/)
  expect(readFileSync(join(scratch.home, 'credentials.json'), 'utf8')).not.toContain('sk-the-key')
})

it('a key is given by its variable, and an unreachable provider exits with 1', async () => {
  const added = await trestle([
    'provider',
    'add',
    'kimi',
    '--type',
    'kimi',
    '--base-url',
    'http://127.0.0.1:47/v1',
    '--key-env',
    'MY_KEY',
  ])
  expect(added.stdout).toContain('MY_KEY is not set here')
  expect(JSON.parse(await worked(['provider', 'list', '--json']))).toEqual([
    { id: 'kimi', type: 'moonshot', baseUrl: 'http://127.0.0.1:47/v1', apiKeyEnv: 'MY_KEY', keyFrom: 'none' },
  ])
  const run = await trestle(['provider', 'test', 'kimi'], { env: { MY_KEY: 'k' } })
  expect(run).toMatchObject({ code: 1, stdout: expect.stringMatching(/^failed: /) as string })
})

it.each([
  [['provider'], 2, 'Specify an action: list, add, test, remove.'],
  [['provider', 'ad', 'x'], 2, 'Did you mean add?'],
  [['provider', 'add', 'thing', '--no-key'], 2, 'What does thing speak? Say --type'],
  [['provider', 'add', 'thing', '--type', 'openai-compatible', '--no-key'], 2, '--base-url URL'],
  [['provider', 'add', 'thing', '--base-url', 'http://localhost:6000/v1', '--no-key'], 2, 'listen on another port'],
  [['provider', 'add', 'anthropic'], 2, 'Pipe it in with --key-stdin'],
  [['provider', 'add', 'anthropic', 'sk-secret'], 2, 'add takes a name, and no key'],
  [
    ['provider', 'add', 'anthropic', '--key-env', 'sk-secret'],
    2,
    'To store a key itself, pipe it in with --key-stdin.',
  ],
  [['provider', 'add', 'anthropic', '--key-stdin'], 2, 'No key came on stdin.'],
  [['provider', 'remove', 'missing'], 1, 'None is configured; add one with'],
  [['model', 'add', 'missing/x'], 1, 'Add one with: trestle provider add missing'],
  [['model', 'add', 'x'], 2, 'give it as provider/model'],
  [['model', 'remove', 'a/b'], 1, 'No model "a/b" is configured.'],
  [['model', 'list', '--label', 'x'], 2, '--label cannot be used with list.'],
])('%j is rejected with advice, without repeating a key', async (args, code, said) => {
  const run = await trestle(args)
  expect(run).toMatchObject({ code, stdout: '' })
  expect(run.stderr).toContain(said)
  expect(run.stderr).not.toContain('sk-secret')
})

it("an agent's command can neither add nor remove a provider, nor choose a model", async () => {
  for (const args of [
    ['provider', 'add', 'x', '--type', 'anthropic', '--no-key'],
    ['provider', 'remove', 'x'],
    ['model', 'default', 'x/y'],
    ['print', 'x', '--mcp-config-file', 'x.json'],
  ]) {
    const run = await trestle(args, { env: { TRESTLE_TASK: 'task-1' } })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('for users only') as string })
  }
})

it('a key typed at the terminal is not shown, and Ctrl-C adds nothing and exits with 130', async () => {
  const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    TRESTLE_HOME: scratch.home,
    TRESTLE_KEY_STORE: 'file',
  }
  const add = (name: string) => {
    const pty = spawn(process.execPath, [cli, 'provider', 'add', name, '--type', 'anthropic'], { cols: 100, env })
    let shown = ''
    pty.onData((text) => (shown += text))
    const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
    const asked = until(() => shown.includes('Key of'), 'the question')
    return { pty, ended, asked, shown: () => shown }
  }
  const given = add('one')
  await given.asked
  given.pty.write('sk-typd\x7fed\r')
  expect(await given.ended).toBe(0)
  expect(given.shown()).not.toContain('sk-')
  expect(readFileSync(join(scratch.home, 'credentials.json'), 'utf8')).toContain('sk-typed')
  const stopped = add('two')
  await stopped.asked
  stopped.pty.write('\x03')
  expect(await stopped.ended).toBe(130)
  expect(config()).not.toContain('two')
})
