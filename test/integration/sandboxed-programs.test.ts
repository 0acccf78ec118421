import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { RecordedEvent } from '../../src/shared/events/event'
import type { McpServerView } from '../../src/shared/configuration/customize/mcp'
import type { ScriptStep } from '../support/model-script'
import { callContext } from '../support/call-context'
import { isAlive } from '../support/marked-pids'
import { startModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

const hasSandbox = sandboxSupport().kind !== 'none'
const NODE = process.execPath

/**
 * A server in one file that needs nothing but Node. Its tool `do` evaluates JavaScript and answers with the value or
 * the error code.
 */
const SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
let rest = ''
process.stdin.on('data', (bytes) => {
  const lines = (rest + bytes).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'doer', version: '1' } } })
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'do', inputSchema: { type: 'object', properties: { code: { type: 'string' } } } }] } })
    else if (method === 'tools/call') {
      Promise.resolve().then(() => (0, eval)(params.arguments.code)).catch((error) => error.code ?? error.message)
        .then((value) => send({ id, result: { content: [{ type: 'text', text: String(value) }] } }))
    } else if (id !== undefined) send({ id, result: {} })
  }
})
process.stdin.on('end', () => process.exit())
globalThis.require = require
`

interface Place {
  scratch: Scratch
  engine: Engine
  call(code: string): Promise<string>
  view(): Promise<McpServerView>
}

/** An engine and a trusted project with one server, in the file specified by `where`. */
async function place(where: 'project' | 'user', more: Record<string, unknown> = {}, config = ''): Promise<Place> {
  const scratch = createScratch({ 'doer.js': SERVER })
  writeFileSync(join(scratch.home, '..', 'outside.txt'), 'outside')
  writeFileSync(join(scratch.project, '.env'), 'KEY=sk-secret')
  writeConfig(scratch.home, `${configFor('http://127.0.0.1:9/v1')}\n${config}`)
  writeFileSync(join(scratch.home, 'secrets.json'), '{"openai":"sk-secret"}')
  const mcpServers = { doer: { command: NODE, args: [join(scratch.project, 'doer.js')], ...more } }
  writeFileSync(
    where === 'user' ? join(scratch.home, 'mcp.json') : join(scratch.project, '.mcp.json'),
    JSON.stringify({ mcpServers }),
  )
  const engine = await createEngine({ version: 'test', home: scratch.home, watch: false })
  onTestFinished(async () => {
    await engine.close('stop')
    scratch.remove()
  })
  const trust = await engine.trust.view(scratch.project)
  if (where === 'project') await engine.trust.accept(scratch.project, trust.hash)
  const view = async (): Promise<McpServerView> => (await engine.mcp.list(scratch.project)).servers[0]!
  return {
    scratch,
    engine,
    view,
    async call(code) {
      const { serverId } = await view()
      const result = await engine.mcp.callTool(serverId, 'do', { code }, callContext())
      return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    },
  }
}

describe.skipIf(!hasSandbox)('MCP servers in a sandbox', () => {
  it("allow a project's server to change its project only, without keys", async () => {
    const { call, scratch, view } = await place('project', { sandbox: 'unrestricted' })
    expect((await view()).sandbox).toEqual({ level: 'project', network: 'open' })
    expect(await call(`require('fs').writeFileSync('made', 'x'), 'made'`)).toBe('made')
    expect(readFileSync(join(scratch.project, 'made'), 'utf8')).toBe('x')
    const top = join(scratch.home, '..')
    for (const path of [join(scratch.home, 'secrets.json'), join(top, 'outside.txt')])
      expect(await call(`require('fs').readFileSync(${JSON.stringify(path)}, 'utf8')`)).toBe('ENOENT')
    expect(await call(`require('fs').readFileSync('.env', 'utf8')`)).toMatch(/^E/)
    await call(`require('fs').writeFileSync(${JSON.stringify(join(top, 'new'))}, 'x')`)
    expect(existsSync(join(top, 'new'))).toBe(false)
    expect(await call(`require('fs').mkdirSync('.git/hooks', { recursive: true })`)).toMatch(/^E/)
  })

  it("reject a project's file that turns the sandbox off", async () => {
    const { engine, scratch } = await place('project', { sandbox: 'unrestricted' })
    const { problems } = await engine.mcp.list(scratch.project)
    expect(problems).toEqual([expect.objectContaining({ line: 1, message: expect.stringContaining('doer.sandbox') })])
  })

  it('allow network addresses unless offline, and never Unix sockets outside', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const connect = (to: string): string =>
      `new Promise((done, failed) => require('net').connect(${to}).on('data', ` +
      "(bytes) => done(bytes.toString())).on('error', failed))"
    const online = await place('project')
    expect(await online.call(connect(String(port)))).toBe('hello')
    expect(await online.call(connect(`'/run/docker.sock'`))).toBe('EACCES')
    const offline = await place('project', { sandbox: 'project-offline' })
    expect((await offline.view()).sandbox).toEqual({ level: 'project', network: 'none' })
    expect(await offline.call(connect(String(port)))).toBe('ECONNREFUSED')
  })

  it('allow child processes, which end with the server', async () => {
    const { call, engine, view } = await place('project')
    expect(await call(`require('child_process').execFileSync('echo', ['from a child']).toString()`)).toBe(
      'from a child\n',
    )
    await call(`require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref()`)
    const pid = (await view()).pid!
    expect(isAlive(pid)).toBe(true)
    await engine.mcp.setEnabled((await view()).serverId, false)
    await engine.close('stop')
    await until(() => !isAlive(pid), 'the server to end')
  })

  it("leave the user's own server unrestricted unless its definition says otherwise", async () => {
    const free = await place('user')
    expect((await free.view()).sandbox).toEqual({ level: 'unrestricted', network: 'open' })
    expect(
      await free.call(`require('fs').readFileSync(${JSON.stringify(join(free.scratch.home, 'secrets.json'))}, 'utf8')`),
    ).toContain('sk-secret')
    const kept = await place('user', { sandbox: 'project' })
    expect((await kept.view()).sandbox).toEqual({ level: 'project', network: 'open' })
    expect(
      await kept.call(`require('fs').readFileSync(${JSON.stringify(join(kept.scratch.home, 'secrets.json'))}, 'utf8')`),
    ).toBe('ENOENT')
    expect(await kept.call(`require('fs').writeFileSync('note', 'x'), process.cwd()`)).toMatch(/mcp-data/)
    await kept.call(`require('fs').writeFileSync(${JSON.stringify(join(kept.scratch.project, 'x'))}, 'x')`)
    expect(existsSync(join(kept.scratch.project, 'x'))).toBe(false)
  })

  it('disable a server with a misspelled setting, and keep the sandbox', async () => {
    const { engine, scratch } = await place('user', { sandbox: 'proejct' })
    const { servers, problems } = await engine.mcp.list(scratch.project)
    expect(servers).toEqual([])
    expect(problems[0]?.message).toContain('doer.sandbox')
  })
})

describe('without a sandbox', () => {
  it('a project’s server runs as before, and its state says so', async () => {
    const { call, view } = await place('project', {}, '[sandbox]\nmode = "off"\n')
    expect(await call('1 + 1')).toBe('2')
    expect((await view()).sandbox).toEqual({
      level: 'unrestricted',
      network: 'open',
      unavailable: 'The sandbox is turned off in config.toml.',
    })
  })
})

describe.skipIf(!hasSandbox)('hooks in a sandbox', () => {
  const outside = (scratch: Scratch): string => join(scratch.home, '..', 'hook-was-here')
  const hook = (scratch: Scratch, more = ''): string =>
    `[[hooks]]\nevent = "PreToolUse"\ncommand = ${JSON.stringify(
      `echo in > inside; cat ${scratch.home}/config.toml > seen; echo out > ${outside(scratch)}; true`,
    )}\n${more}\n`

  async function turn(write: (scratch: Scratch) => { own?: string; project?: string }) {
    const scratch = createScratch({})
    const steps: ScriptStep[] = [{ toolCalls: [{ name: 'TodoList', input: {} }] }, { text: 'done' }]
    const model = await startModelServer({ script: () => steps.shift() ?? { text: 'done' } })
    const { own = '', project } = write(scratch)
    writeConfig(scratch.home, `${configFor(model.baseUrl)}\n${own}`)
    if (project !== undefined) {
      mkdirSync(join(scratch.project, '.trestle'))
      writeFileSync(join(scratch.project, '.trestle', 'config.toml'), project)
    }
    const engine = await createEngine({ version: 'test', home: scratch.home, watch: false })
    onTestFinished(async () => {
      await engine.close('stop')
      await model.close()
      scratch.remove()
    })
    if (project !== undefined)
      await engine.trust.accept(scratch.project, (await engine.trust.view(scratch.project)).hash)
    const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
    await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
    const isOver = (event: RecordedEvent): boolean => event.type === 'turn.finished'
    await until(() => engine.sessions.since(sessionId, 0).some(isOver), 'the turn to end')
    return { scratch, runs: (await engine.hooks.list(scratch.project)).runs }
  }

  it("a project's hook changes only its project, and sees nothing of Trestle's", async () => {
    const { scratch, runs } = await turn((at) => ({ project: hook(at) }))
    expect(runs).toMatchObject([{ outcome: 'passed', sandbox: { level: 'project', network: 'open' } }])
    expect(readFileSync(join(scratch.project, 'inside'), 'utf8')).toBe('in\n')
    expect(readFileSync(join(scratch.project, 'seen'), 'utf8')).toBe('')
    expect(existsSync(outside(scratch))).toBe(false)
  })

  it("the user's own hook runs unrestricted, or in the sandbox when configured", async () => {
    const free = await turn((at) => ({ own: hook(at) }))
    expect(free.runs).toMatchObject([{ outcome: 'passed', sandbox: { level: 'unrestricted' } }])
    expect(existsSync(outside(free.scratch))).toBe(true)
    const kept = await turn((at) => ({ own: hook(at, 'sandbox = "project"') }))
    expect(kept.runs).toMatchObject([{ outcome: 'passed', sandbox: { level: 'project' } }])
    expect(existsSync(outside(kept.scratch))).toBe(false)
  })

  it('block the call if a link in the project prevents creating their sandbox', async () => {
    const { runs } = await turn((at) => {
      mkdirSync(join(at.project, 'elsewhere'))
      symlinkSync('elsewhere', join(at.project, '.vscode'))
      return { own: hook(at, 'sandbox = "project"') }
    })
    expect(runs).toMatchObject([{ outcome: 'blocked', reason: expect.stringContaining('.vscode is a symbolic link') }])
  })
})
