import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ModelScript } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

/** A port of this machine where nothing listens, out of those allowed for web requests. */
const CLOSED = 'http://127.0.0.1:47'

let scratch: Scratch
let server: ModelServer | undefined

beforeEach(() => {
  scratch = createScratch({ 'notes.md': 'one\n' })
})
afterEach(async () => {
  await server?.close()
  server = undefined
  scratch.remove()
})

const run = (args: string[], stdin?: string): Promise<CliRun> =>
  runCli(args, { home: scratch.home, cwd: scratch.project, ...(stdin !== undefined && { stdin }) })
const play = async (script: ModelScript, options: Parameters<typeof configFor>[1] = {}): Promise<void> => {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl, options))
}
const sessions = async (): Promise<{ model?: string }[]> =>
  JSON.parse((await run(['session', 'list', '--json'])).stdout)

describe('a turn that cannot start', () => {
  it('leaves no empty session for --continue', async () => {
    await play([{ text: 'first' }, { text: 'second' }])
    expect(await run(['print', 'remember this'])).toMatchObject({ code: 0, stdout: 'first\n' })
    expect(await run(['print', 'go', '--model', 'missing/model'])).toMatchObject({ code: 1 })
    expect(await sessions()).toHaveLength(1)
    expect(await run(['print', '--continue', 'and now?'])).toMatchObject({ code: 0, stdout: 'second\n' })
    expect(JSON.stringify(server!.requests.at(-1)!.body)).toContain('remember this')
  })

  it('leaves a continued session its model', async () => {
    await play([{ text: 'first' }, { text: 'second' }])
    await run(['print', 'go'])
    expect(await run(['print', '--continue', 'go', '--model', 'missing/model'])).toMatchObject({ code: 1 })
    expect(await run(['print', '--continue', 'go'])).toMatchObject({ code: 0, stdout: 'second\n' })
  })

  it('names the command that helps, in JSON too', async () => {
    const { code, stdout } = await run(['print', 'go', '--output-format', 'json'])
    expect(code).toBe(1)
    const { failure } = JSON.parse(stdout)
    expect(failure).toMatchObject({ code: 'model.not_configured' })
    expect(failure.advice).toContain('trestle provider add NAME')
  })

  it('ends a piped chat with 1 if nothing was answered after it', async () => {
    expect(await run(['chat'], 'hi\n')).toMatchObject({ code: 1 })
    await play([{ text: 'hello' }])
    expect(await run(['chat'], 'hi\n')).toMatchObject({ code: 0 })
  })
})

it.each(['text', 'json'])('print says on stderr that it retries, as %s', async (format) => {
  await play([
    { faults: { status: 429, headers: { 'retry-after': '0' }, body: { error: { message: 'slow down' } } } },
    { text: 'whole' },
  ])
  const { code, stderr } = await run(['print', 'go', '--output-format', format])
  expect(code).toBe(0)
  expect(stderr).toMatch(/attempt 2 of \d+/)
})

it('a chat without messages leaves no session', async () => {
  await play([{ text: 'hello' }])
  expect(await run(['chat'], '\n')).toMatchObject({ code: 0 })
  expect(await sessions()).toEqual([])
  await run(['chat'], 'hi\n')
  expect(await sessions()).toHaveLength(1)
})

it('reports how many messages can be restored to', async () => {
  await play([{ text: 'hello' }])
  await run(['print', 'go'])
  const [{ sessionId }] = JSON.parse((await run(['session', 'list', '--json'])).stdout)
  expect((await run(['session', 'fork', sessionId, '--to', '9'])).stderr).toContain(
    '--to 9: the session has 1 message;',
  )
})

describe('a list that cannot be read', () => {
  it('of models exits with 1 and names the command to find the cause', async () => {
    const added = await run(['provider', 'add', 'local', '--base-url', `${CLOSED}/v1`, '--no-key'])
    expect(added).toMatchObject({ code: 0 })
    expect(await run(['model', 'list', 'local'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/could not be read[^]*trestle provider test local/),
    })
    const asJson = await run(['model', 'list', 'local', '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'model.connection' } })
  })

  it('of providers is not called empty, and names the mistake, as does that of models', async () => {
    writeConfig(scratch.home, '[providers.x]\ntype = "nonsense"\n')
    const place = expect.stringContaining('config.toml:2:1')
    expect(await run(['provider', 'list'])).toMatchObject({ code: 1, stdout: '', stderr: place })
    expect(await run(['model', 'list'])).toMatchObject({ code: 0, stderr: place })
  })

  it('of servers is not called empty', async () => {
    writeFileSync(join(scratch.home, 'mcp.json'), '{bad')
    expect(await run(['mcp', 'list'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('mcp.json:1'),
    })
  })
})

describe('a server that does not work', () => {
  beforeEach(() => run(['mcp', 'add', 'gone', '--', '/no/such/program']))

  it('is explained by mcp logs, even if it printed no output', async () => {
    const { code, stderr } = await run(['mcp', 'logs', 'gone'])
    expect(code).toBe(1)
    expect(stderr).toContain('/no/such/program was not found')
  })

  it('is an error in JSON for mcp tools', async () => {
    const { code, stdout } = await run(['mcp', 'tools', 'gone', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error.message).toContain('/no/such/program was not found')
  })
})

describe('trestle memory', () => {
  it('deletes nothing silently when no entry has the number', async () => {
    expect(await run(['memory', 'delete', '99'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('number 99'),
    })
  })

  it('asks what to change instead of saying that it changed nothing', async () => {
    await run(['memory', 'add', 'tabs', 'two spaces'])
    expect(await run(['memory', 'edit', '1'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--text') })
  })
})

describe('a word too many', () => {
  it('is named without the names of the other arguments', async () => {
    expect((await run(['permission', 'check', 'ls', 'rm'])).stderr).toContain(
      'Unexpected "rm". Put the whole command in quotes.',
    )
    expect((await run(['settings', 'a', 'b', 'c'])).stderr).toContain('Unexpected "c".')
  })
})

it('desktop says that a file is not a folder', async () => {
  mkdirSync(join(scratch.project, 'folder'))
  expect(await run(['desktop', 'notes.md'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a folder'),
  })
})
