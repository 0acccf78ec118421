import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/renderer/client/connect'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { acpClient } from '../support/acp-client'
import type { ModelScript, RecordedRequest, ScriptedCall } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { nodeSockets } from '../support/node-socket'
import { acceptPlugin, labPlugin, pluginsOf, writeFiles } from '../support/plugin-lab'
import { runCli, startCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { serveApp } from '../support/served-app'
import { startWire } from '../support/wire-client'

const CALLS: ScriptedCall[] = [
  { name: 'Skill', input: { skill: 'lab:trap', args: 'you' } },
  { name: 'Agent', input: { prompt: 'help', description: 'help', subagent_type: 'lab:helper' } },
  { name: 'mcp__lab_watch__look', input: {} },
  { name: 'Write', input: { path: 'shout.txt', content: 'hello' } },
]
const undo: (() => unknown)[] = []
let scratch: Scratch
let model: ModelServer

/** Makes all calls in its first answer to the user; a subagent reports its name. */
const script: ModelScript = ({ body }) => {
  const messages = body['messages'] as { role: string; content: unknown }[]
  if (JSON.stringify(messages[0]).includes('INJECTED agent prompt')) return { text: 'I am the helper' }
  return messages.at(-1)?.role === 'tool' ? { text: 'done' } : { toolCalls: CALLS }
}

beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'notes' })
  model = await startModelServer({ script })
  writeConfig(scratch.home, `default_permission_mode = "auto"\n${configFor(model.baseUrl)}`)
})
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
  await model.close()
  scratch.remove()
})

const inProject = (name: string): string => join(scratch.project, name)
const told = (): string => JSON.stringify(model.requests.map(({ body }) => body))
const resultsIn = ({ body }: RecordedRequest): string[] =>
  (body['messages'] as { role: string; content: string }[]).flatMap(({ role, content }) =>
    role === 'tool' ? [content] : [],
  )
/** The results of the latest four calls. */
const results = (): string[] => resultsIn(model.requests.at(-1)!).slice(-CALLS.length)

async function trestle(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(words, { home: scratch.home, cwd: scratch.project })
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: expect.any(String) })
  return stdout
}

const print = (prompt: string): Promise<string> => trestle('print', prompt, '--permission-mode', 'auto')

interface Opened {
  header: { turns: number; turnId?: string }
}

/** Resolves when the first turn has ended. Each check is a call of the contract, so this is not a busy loop. */
async function ended(look: () => Promise<Opened>): Promise<void> {
  const end = Date.now() + 150_000
  for (;;) {
    const { header } = await look()
    if (header.turns > 0 && header.turnId === undefined) return
    if (Date.now() > end) throw new Error('The turn did not end.')
  }
}

/** Lets an agent prompt in each host; resolves when its turn has ended. */
const HOSTS: Record<string, (prompt: string) => Promise<void>> = {
  print: async (prompt) => void (await print(prompt)),
  async wire(prompt) {
    const wire = startWire({ home: scratch.home })
    const { sessionId } = await wire.result<{ sessionId: string }>('session.create', {
      folder: scratch.project,
      mode: 'auto',
    })
    await wire.call('session.prompt', { sessionId, parts: [{ type: 'text', text: prompt }] })
    await ended(() => wire.result<Opened>('session.open', { sessionId }))
    await wire.end()
  },
  async web(prompt) {
    const app = await serveApp({
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      TRESTLE_HOME: scratch.home,
      TRESTLE_KEY_STORE: 'file',
    })
    const { origin, hash } = new URL(app.url)
    const connection = connect(
      webSocketTransport(nodeSockets().open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
    )
    const { client } = connection
    const { sessionId } = await client.session.create({ folder: scratch.project, mode: 'auto' })
    await client.session.prompt({ sessionId, parts: [{ type: 'text', text: prompt }] })
    await ended(() => client.session.open({ sessionId }))
    connection.close()
    await app.close()
  },
  async acp(prompt) {
    const client = acpClient(startCli(['acp'], { home: scratch.home }), {
      'session/request_permission': () => ({ outcome: { outcome: 'cancelled' } }),
    })
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
    await client.request('session/set_mode', { sessionId, modeId: 'auto' })
    await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] })
    await client.end()
  },
}

describe('before the user has accepted it, a hostile plugin', () => {
  it.each(Object.keys(HOSTS))(
    "does nothing in %s, whether it is the user's or the project's",
    { timeout: 180_000 },
    async (host) => {
      const folder = writeFiles(join(scratch.home, '..', 'hostile'), labPlugin())
      await trestle('plugin', 'add', folder)
      writeFiles(inProject('.trestle/plugins/lab'), labPlugin())
      await HOSTS[host]!('/lab:ship now')
      expect(told()).not.toContain('INJECTED')
      expect(results()).toEqual([
        expect.stringMatching(/No skill is named lab:trap|There is no tool "Skill"/),
        expect.stringContaining('There is no agent type "lab:helper"'),
        expect.stringContaining('There is no tool "mcp__lab_watch__look"'),
        expect.stringContaining('shout.txt'),
      ])
      expect(readFileSync(inProject('shout.txt'), 'utf8')).toBe('hello')
      expect([existsSync(inProject('hooks-ran.txt')), existsSync(inProject('server-ran.txt'))]).toEqual([false, false])
    },
  )
})

/** The traces that an active plugin must leave. */
function expectActive(): void {
  const text = told()
  expect(text).toContain('- lab:trap: INJECTED skill')
  expect(text).toContain('- lab:helper: INJECTED agent')
  expect(results()).toEqual([
    expect.stringContaining('INJECTED instructions for you'),
    expect.stringContaining('I am the helper'),
    expect.stringContaining(`data of the plugin in ${scratch.project}`),
    expect.stringContaining('shout.txt'),
  ])
  expect(readFileSync(inProject('shout.txt'), 'utf8')).toBe('HELLO')
  const ran = new Set(readFileSync(inProject('hooks-ran.txt'), 'utf8').trim().split('\n'))
  for (const event of [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'beforeWriteFile',
    'afterWriteFile',
    'Stop',
    'SubagentStop',
  ])
    expect(ran).toContain(event)
}

function forget(): void {
  for (const name of ['hooks-ran.txt', 'server-ran.txt', 'shout.txt']) rmSync(inProject(name), { force: true })
  model.requests.splice(0)
}

describe.each(['user', 'project'] as const)('a plugin of the %s', (scope) => {
  const place = () => ({ name: 'lab', ...(scope === 'project' && { folder: scratch.project }) })
  const option = scope === 'project' ? ['--project'] : []

  it(
    'works once it is accepted, is gone when it is turned off, and asks again when it has changed',
    { timeout: 180_000 },
    async () => {
      const folder = writeFiles(join(scratch.home, '..', 'lab'), labPlugin())
      await trestle('plugin', 'add', folder, ...option)
      await acceptPlugin(scratch.home, place())
      await print('/lab:ship it')
      expect(told()).toContain('INJECTED: ship it now')
      expectActive()

      await trestle('plugin', 'disable', 'lab', ...option)
      forget()
      await print('/lab:ship it')
      expect(told()).not.toContain('INJECTED')
      expect([existsSync(inProject('hooks-ran.txt')), existsSync(inProject('server-ran.txt'))]).toEqual([false, false])

      await trestle('plugin', 'enable', 'lab', ...option)
      forget()
      await print('go')
      expectActive()

      writeFiles(folder, { 'data.txt': 'other data' })
      await trestle('plugin', 'update', 'lab', ...option)
      forget()
      const { stderr } = await runCli(['print', 'go', '--permission-mode', 'auto'], {
        home: scratch.home,
        cwd: scratch.project,
      })
      expect(stderr).toContain('The plugin lab has changed since you accepted it, so it is off.')
      expect(told()).not.toContain('INJECTED')
      expect([existsSync(inProject('hooks-ran.txt')), existsSync(inProject('server-ran.txt'))]).toEqual([false, false])
      expect(await trestle('plugin', 'diff', 'lab', ...option)).toContain('-data of the plugin\n')
      const { code } = await runCli(['plugin', 'enable', 'lab', ...option], {
        home: scratch.home,
        cwd: scratch.project,
      })
      expect(code).toBe(2)
    },
  )

  it('offers its slash commands to editors', { timeout: 180_000 }, async () => {
    await trestle('plugin', 'add', writeFiles(join(scratch.home, '..', 'lab'), labPlugin()), ...option)
    await acceptPlugin(scratch.home, place())
    const client = acpClient(startCli(['acp'], { home: scratch.home }), {})
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await client.request('session/new', { cwd: scratch.project, mcpServers: [] })
    const { params } = await client.until(
      (message) => message.params?.['update']?.sessionUpdate === 'available_commands_update',
    )
    expect(params!['update'].availableCommands).toContainEqual({
      name: 'lab:ship',
      description: 'INJECTED command',
      input: { hint: 'what' },
    })
    await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: '/lab:ship it' }] })
    expect(told()).toContain('INJECTED: ship it now')
    await client.end()
  })

  it('can be restored unchanged after it was removed', async () => {
    await trestle('plugin', 'add', writeFiles(join(scratch.home, '..', 'lab'), labPlugin()), ...option)
    await acceptPlugin(scratch.home, place())
    const { trashId } = JSON.parse(await trestle('plugin', 'remove', 'lab', ...option, '--json'))
    await print('go')
    expect(told()).not.toContain('INJECTED')
    await trestle('plugin', 'restore', trashId)
    const { plugins } = await pluginsOf(scratch.home).actions.list(scratch.project)
    expect(plugins).toMatchObject([{ name: 'lab', state: 'enabled' }])
  })
})
