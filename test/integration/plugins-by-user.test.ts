import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PluginView } from '../../src/shared/model/app/plugin'
import type { McpServerList } from '../../src/shared/configuration/customize/mcp'
import { isAlive } from '../support/marked-pids'
import { until } from '../support/until'
import type { RecordedRequest, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { acceptPlugin, labPlugin, pluginsOf, writeFiles } from '../support/plugin-lab'
import { runCli, type CliRun } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { startWire } from '../support/wire-client'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

let scratch: Scratch
let source: string
const undo: (() => unknown)[] = []

beforeEach(() => {
  scratch = createScratch()
  source = writeFiles(join(scratch.home, '..', 'source'), labPlugin())
})
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
  scratch.remove()
})

const trestle = (...words: string[]): Promise<CliRun> => runCli(words, { home: scratch.home, cwd: scratch.project })
const state = async (): Promise<string | undefined> =>
  (await pluginsOf(scratch.home).actions.list(scratch.project)).plugins[0]?.state

async function withModel(script: Parameters<typeof startModelServer>[0]['script'], more = ''): Promise<ModelServer> {
  const model = await startModelServer({ script })
  undo.push(() => model.close())
  writeConfig(scratch.home, `${configFor(model.baseUrl)}${more}`)
  return model
}

function resultsIn({ body }: RecordedRequest): string[] {
  return (body['messages'] as { role: string; content: string }[]).flatMap(({ role, content }) =>
    role === 'tool' ? [content] : [],
  )
}

describe('a user at a terminal', () => {
  /** Answers the question with the result of `answer` for the fingerprint; returns the exit code and the screen. */
  async function atTerminal(answer: (fingerprint: string) => string): Promise<{ code: number; screen: string }> {
    const { PATH = '', HOME = '' } = process.env
    const pty = spawn(process.execPath, [CLI, 'plugin', 'enable', 'lab'], {
      cols: 200,
      rows: 40,
      cwd: scratch.project,
      env: { PATH, HOME, TRESTLE_HOME: scratch.home },
    })
    let screen = ''
    let answered = false
    pty.onData((text) => {
      screen += text
      const fingerprint = /Fingerprint: ([0-9a-f]{64})[^]*fingerprint: /.exec(screen)?.[1]
      if (fingerprint === undefined || answered) return
      answered = true
      pty.write(`${answer(fingerprint)}\r`)
    })
    const code = await new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
    return { code, screen }
  }

  it('accepts exactly what is shown, by typing the start of its fingerprint', { timeout: 180_000 }, async () => {
    await trestle('plugin', 'add', source)
    for (const wrong of ['', 'yes', '000000']) {
      expect((await atTerminal(() => wrong)).code).toBe(1)
      expect(await state()).toBe('asked')
    }
    const { code, screen } = await atTerminal((fingerprint) => fingerprint.slice(0, 6))
    expect([code, await state()]).toEqual([0, 'enabled'])
    expect(screen).toContain('on SessionStart run, for at most 30 s: echo SessionStart >> hooks-ran.txt')
    expect(screen).toContain('INJECTED instructions for $ARGUMENTS')
  })
})

it('without a terminal, a plugin is not accepted, whatever the piped input', async () => {
  const { hash } = JSON.parse((await trestle('plugin', 'add', source, '--json')).stdout) as PluginView
  for (const stdin of ['', 'yes\n', `${hash.slice(0, 6)}\n`]) {
    const run = await runCli(['plugin', 'enable', 'lab'], { home: scratch.home, cwd: scratch.project, stdin })
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('a person at a terminal') })
  }
  expect(await state()).toBe('asked')
})

it(
  "an agent's command can neither add nor accept, turn on or off, update, remove or restore one",
  { timeout: 180_000 },
  async () => {
    await trestle('plugin', 'add', source)
    const words = [`add ${source} --project`, 'enable lab', 'disable lab', 'update lab', 'remove lab', 'restore x']
    const command = words.map((word) => `${process.execPath} ${CLI} plugin ${word}; echo "rc $?"`).join('; ')
    const model = await withModel(
      [
        { toolCalls: [{ name: 'Bash', input: { command: `export TRESTLE_HOME=${scratch.home}; ${command}` } }] },
        { text: 'done' },
      ],
      '[sandbox]\nmode = "off"\n[[permission.rules]]\ndecision = "allow"\npattern = "Bash(*)"\n',
    )
    await trestle('print', 'go', '--permission-mode', 'auto')
    const [result = ''] = resultsIn(model.requests.at(-1)!)
    expect(result.match(/rc 2/g)).toHaveLength(words.length)
    expect(result.match(/is for users only, and/g)).toHaveLength(words.length)
    expect(await state()).toBe('asked')
  },
)

it(
  'an agent can change neither the records nor the copies of plugins, in Auto mode either',
  { timeout: 180_000 },
  async () => {
    await trestle('plugin', 'add', source)
    const plugins = join(scratch.home, 'plugins')
    const write = (path: string): ScriptStep => ({ toolCalls: [{ name: 'Write', input: { path, content: '{}' } }] })
    const model = await withModel([
      write(join(plugins, 'records', 'new.json')),
      write(join(plugins, 'content', 'new.txt')),
      {
        toolCalls: [
          { name: 'Bash', input: { command: `echo x > ${plugins}/new.txt; ls ${plugins}; rm -rf ${plugins}` } },
        ],
      },
      { text: 'done' },
    ])
    await trestle('print', 'go', '--permission-mode', 'auto')
    expect(resultsIn(model.requests.at(-1)!).slice(0, 2)).toEqual([
      expect.stringMatching(/denied|refused|own folder/i),
      expect.stringMatching(/denied|refused|own folder/i),
    ])
    for (const path of ['records/new.json', 'content/new.txt', 'new.txt'])
      expect(existsSync(join(plugins, path))).toBe(false)
    expect(await state()).toBe('asked')
  },
)

describe.each(['user', 'project'] as const)('a plugin of the %s', (scope) => {
  const place = () => ({ name: 'lab', ...(scope === 'project' && { folder: scratch.project }) })

  it('that changes in the middle of a turn is off from then on', { timeout: 180_000 }, async () => {
    await trestle('plugin', 'add', source, ...(scope === 'project' ? ['--project'] : []))
    const { hash } = await acceptPlugin(scratch.home, place())
    const root =
      scope === 'project' ? join(scratch.project, '.trestle/plugins/lab') : join(scratch.home, 'plugins/content', hash)
    const calls: ScriptStep = {
      toolCalls: [
        { name: 'mcp__lab_watch__look', input: {} },
        { name: 'Skill', input: { skill: 'lab:trap' } },
        { name: 'Write', input: { path: 'shout.txt', content: 'hello' } },
      ],
    }
    const model = await withModel((_request, index) => {
      if (index === 0) return calls
      if (index > 1) return { text: 'done' }
      writeFileSync(join(root, 'data.txt'), 'changed')
      for (const name of ['hooks-ran.txt', 'shout.txt']) rmSync(join(scratch.project, name), { force: true })
      return calls
    })
    const { stderr } = await trestle('print', 'go', '--permission-mode', 'auto')
    const results = resultsIn(model.requests.at(-1)!)
    expect(results.slice(0, 2)).toEqual([
      expect.stringContaining('data of the plugin'),
      expect.stringContaining('INJECTED instructions'),
    ])
    expect(results.slice(3, 5)).toEqual([
      expect.stringMatching(/(?:lab:watch|mcp__lab_watch__look) is no longer available/),
      expect.stringContaining('No skill is named lab:trap'),
    ])
    expect(readFileSync(join(scratch.project, 'shout.txt'), 'utf8')).toBe('hello')
    expect(existsSync(join(scratch.project, 'hooks-ran.txt'))).toBe(false)
    expect(stderr).toContain('The plugin lab has changed since you accepted it, so it is off.')
  })

  it('that is turned off in another program ends its servers', { timeout: 180_000 }, async () => {
    const option = scope === 'project' ? ['--project'] : []
    await trestle('plugin', 'add', source, ...option)
    await acceptPlugin(scratch.home, place())
    const model = await withModel([{ toolCalls: [{ name: 'mcp__lab_watch__look', input: {} }] }, { text: 'done' }])
    const wire = startWire({ home: scratch.home })
    const { sessionId } = await wire.result<{ sessionId: string }>('session.create', {
      folder: scratch.project,
      mode: 'auto',
    })
    await wire.result('session.prompt', { sessionId, parts: [{ type: 'text', text: 'go' }] })
    await until(() => model.requests.length === 2, 'the end of the turn')
    const { servers } = await wire.result<McpServerList>('mcp.list', { folder: scratch.project })
    expect(servers).toMatchObject([{ name: 'lab:watch', plugin: 'lab', sandbox: { network: 'open' } }])
    const { pid } = servers[0]!
    const reply = await wire.call('mcp.remove', {
      place: { scope: 'project', folder: scratch.project, name: 'lab:watch' },
    })
    expect(JSON.stringify(reply)).toContain('belongs to the plugin lab')
    await trestle('plugin', 'disable', 'lab', ...option)
    await until(() => !isAlive(pid!), 'the end of the server')
    await wire.end()
  })

  it(
    'that is turned off leaves a running session with a message behind what was sent before',
    { timeout: 180_000 },
    async () => {
      await trestle('plugin', 'add', source, ...(scope === 'project' ? ['--project'] : []))
      await acceptPlugin(scratch.home, place())
      const model = await withModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
      const wire = startWire({ home: scratch.home })
      const { sessionId } = await wire.result<{ sessionId: string }>('session.create', { folder: scratch.project })
      const turn = async (text: string): Promise<void> => {
        const done = model.requests.length
        await wire.result('session.prompt', { sessionId, parts: [{ type: 'text', text }] })
        for (;;) {
          const { header } = await wire.result<{ header: { turnId?: string } }>('session.open', { sessionId })
          if (model.requests.length > done && header.turnId === undefined) return
        }
      }
      await turn('first')
      await wire.result('plugin.setEnabled', { ...place(), enabled: false })
      await turn('second')
      await wire.end()
      const [before, after] = model.requests.map(({ body }) => body as { messages: unknown[]; tools: unknown })
      expect(JSON.stringify(before!.messages)).toContain('lab:trap')
      expect(after!.messages.slice(0, before!.messages.length)).toEqual(before!.messages)
      const news = JSON.stringify(after!.messages.slice(before!.messages.length))
      expect(news).toMatch(/skills have changed|no longer any skills to load/)
      expect(news).toContain('There are no longer any further agent types.')
      expect(news).toContain('mcp__lab_watch__look')
    },
  )
})
