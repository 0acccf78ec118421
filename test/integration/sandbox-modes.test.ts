import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import type { Approval, PermissionMode } from '../../src/shared/model/approval/approval'
import type { RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
let sessionId: string
const outside: Server[] = []
const folders: string[] = []

/** A session whose model runs these commands, one in each turn. */
async function start(
  mode: PermissionMode,
  commands: (string | Record<string, unknown>)[],
  { interactive = true, config = '' } = {},
) {
  scratch = createScratch({ 'a.txt': 'a\n', '.env': 'TOKEN=of-the-project\n' })
  const left = [...commands]
  server = await startModelServer({
    script: () => {
      const next = left.shift()
      if (next === undefined) return { text: 'done' }
      return { toolCalls: [{ name: 'Bash', input: typeof next === 'string' ? { command: next } : next }] }
    },
  })
  writeConfig(scratch.home, configFor(server.baseUrl, { more: config }))
  engine = await createEngine({ version: '0', home: scratch.home, watch: false, interactive, log: () => {} })
  ;({ sessionId } = await engine.sessions.create({ folder: scratch.project, mode }))
}

const events = (): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const results = () => events().flatMap((event) => (event.type === 'tool.finished' ? [event] : []))
const judged = () => events().flatMap((event) => (event.type === 'tool.judged' ? [event] : []))
const status = () => engine.sessions.header(sessionId).sandbox
const approvals = (): Approval[] => engine.sessions.header(sessionId).approvals

async function run(): Promise<void> {
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(
    () => events().at(-1)?.type === 'turn.finished' || events().some(({ type }) => type === 'turn.finished'),
    'the turn to end',
  )
}

async function waiting(): Promise<Approval> {
  await until(() => approvals().length > 0, 'a question')
  return approvals()[0]!
}

async function web(): Promise<number> {
  const listening = createServer((_request, response) => response.end('from outside'))
  outside.push(listening)
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return (listening.address() as AddressInfo).port
}

afterEach(async () => {
  await engine.close('stop')
  await server.close()
  for (const each of outside.splice(0)) each.close()
  for (const each of folders.splice(0)) rmSync(each, { recursive: true, force: true })
  scratch.remove()
})

describe.skipIf(sandboxSupport().kind === 'none')('commands in a sandbox', () => {
  test('in Ask first, read-only commands run in Read-only without asking, and project secrets are inaccessible', async () => {
    await start('ask', ['cat a.txt', 'cat .en?'], { interactive: false })
    await run()
    expect(judged()[0]).toMatchObject({ decision: 'allow', sandbox: 'read-only' })
    expect(results()[0]!.details).toMatchObject({ kind: 'output', sandbox: { level: 'read-only', network: 'none' } })
    expect(
      results()
        .map(({ content }) => textOf(content))
        .join(),
    ).not.toContain('of-the-project')
    expect(status()).toMatchObject({ level: 'read-only', network: 'none', writable: [] })
  })

  test('in Ask first, the card offers the sandbox first and Unrestricted second, and the answer decides', async () => {
    await start('ask', ['touch made; ls -a / ~; cat .env', 'touch made-too'])
    const turn = run()
    const first = await waiting()
    expect(first.options.map(({ name, sandbox }) => [name, sandbox]).slice(0, 2)).toEqual([
      ['Run in sandbox', 'project'],
      ['Run unrestricted', 'unrestricted'],
    ])
    await engine.sessions.reply(sessionId, { approvalId: first.approvalId, optionId: 'allow_once' })
    await until(() => results().length === 1, 'the first command')
    expect(existsSync(join(scratch.project, 'made'))).toBe(true)
    expect(textOf(results()[0]!.content)).toContain('Permission denied')
    const second = await waiting()
    await engine.sessions.reply(sessionId, { approvalId: second.approvalId, optionId: 'allow_unrestricted' })
    await turn
    expect(results()[1]!.details).toMatchObject({ sandbox: { level: 'unrestricted' } })
  })

  test('in Accept edits, commands can change only the project without asking', async () => {
    await start('accept-edits', ['echo built > out.txt; sh escape.sh', 'curl -s https://example.com'], {
      interactive: false,
    })
    writeFileSync(join(scratch.project, 'escape.sh'), 'echo x > ../escaped')
    await run()
    expect(readFileSync(join(scratch.project, 'out.txt'), 'utf8')).toBe('built\n')
    expect(existsSync(join(scratch.project, '..', 'escaped'))).toBe(false)
    expect(textOf(results()[1]!.content)).toContain('It connects to example.com')
  })

  test('in Auto, allowed hosts are reachable and others are not, whatever program connects', async () => {
    const port = await web()
    const python = (target: number): string =>
      'python3 -c "import urllib.request as u; ' +
      `print(u.build_opener(u.ProxyHandler()).open('http://localhost:${target}').read())"`
    await start(
      'auto',
      [
        `no_proxy= NO_PROXY= curl -s http://localhost:${port}`,
        python(port),
        'curl -s http://192.0.2.1/ || echo refused',
      ],
      {
        interactive: false,
        config: '[sandbox]\nhosts = ["docs.example"]\n',
      },
    )
    await run()
    expect(JSON.stringify(results())).not.toContain('from outside')
  })

  test('a command that the sandbox blocks leads to one card, and works once the path is allowed', async () => {
    await start('auto', ['./save.sh', './save.sh'])
    const target = mkdtempSync(join(homedir(), '.trestle-test-'))
    folders.push(target)
    writeFileSync(join(scratch.project, 'save.sh'), `#!/bin/sh\necho kept >> ${target}/file\n`, { mode: 0o755 })
    const turn = run()
    const asked = await waiting()
    expect(asked).toMatchObject({
      asks: 'sandbox',
      preview: { kind: 'sandbox', denied: { kind: 'path', access: 'write' } },
    })
    expect(existsSync(join(target, 'file'))).toBe(false)
    await engine.sessions.reply(sessionId, { approvalId: asked.approvalId, optionId: 'session' })
    await turn
    expect(readFileSync(join(target, 'file'), 'utf8')).toBe('kept\nkept\n')
    expect(events().filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
  })

  test('without a user to ask, the model is told what the sandbox blocked', async () => {
    await start('auto', ['./save.sh'], { interactive: false })
    writeFileSync(join(scratch.project, 'save.sh'), `#!/bin/sh\necho x > ${homedir()}/trestle-must-not-exist\n`, {
      mode: 0o755,
    })
    await run()
    expect(textOf(results()[0]!.content)).toContain('The Project sandbox blocked writing to')
    expect(existsSync(join(homedir(), 'trestle-must-not-exist'))).toBe(false)
  })

  test("a request to run unrestricted always asks, with the agent's reason", async () => {
    await start('auto', [{ command: 'echo hi', unrestricted: 'It needs the Docker socket.' }], { interactive: false })
    await run()
    expect(textOf(results()[0]!.content)).toContain('It needs the Docker socket.')
    expect(results()[0]!.isError).toBe(true)
  })

  test('commands that are dangerous inside the sandbox ask in Auto too', async () => {
    await start('auto', ['git push --force origin main', 'rm -rf .'], { interactive: false })
    await run()
    expect(results().every(({ isError }) => isError)).toBe(true)
    expect(existsSync(join(scratch.project, 'a.txt'))).toBe(true)
  })

  test('the header follows the mode and plan mode', async () => {
    await start('auto', ['true'])
    await run()
    expect(status()).toMatchObject({ level: 'project', network: 'listed' })
    await engine.sessions.change(sessionId, { mode: 'accept-edits' })
    await until(() => status()?.network === 'none', 'the sandbox of Accept edits')
    await engine.sessions.change(sessionId, { mode: 'ask' })
    await until(() => status()?.level === 'read-only', 'the sandbox of Ask first')
  })

  test('with the sandbox off, commands run without one and the header says so', async () => {
    await start('auto', ['touch made'], { config: '[sandbox]\nmode = "off"\n' })
    await run()
    expect(status()).toMatchObject({
      level: 'unrestricted',
      unavailable: { reason: 'The sandbox is turned off in config.toml.' },
    })
    expect(results()[0]!.details).toMatchObject({ sandbox: { level: 'unrestricted' } })
  })
})
