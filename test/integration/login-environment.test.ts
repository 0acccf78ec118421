import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SessionEvent } from '../../src/shared/events/event'
import { createEngine } from '../../src/main/engine/engine'
import type { ScriptStep } from '../support/model-script'
import { startModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { until } from '../support/until'

const SWITCHES = { enabled: true, startTimeoutMs: 30_000, callTimeoutMs: 30_000, disabledTools: [] }

/**
 * An engine whose login shell waits until it is released, and has a program, a key and a variable that the process
 * lacks.
 */
async function openBehindSlowShell(script: ScriptStep[], { more = '', limitMs = 50_000 } = {}) {
  const scratch = createScratch()
  onTestFinished(() => scratch.remove())
  const before = { ...process.env }
  onTestFinished(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  })
  const path = (name: string): string => join(scratch.project, name)
  mkdirSync(path('tools'))
  writeFileSync(path('tools/mytool'), '#!/bin/sh\necho "mytool ran with $SOME_VALUE"\n', { mode: 0o755 })
  const exports = `export PATH="${path('tools')}:$PATH" SOME_VALUE=from-the-shell MY_MODEL_KEY=key-of-the-shell`
  writeFileSync(
    path('slow-shell'),
    `#!/bin/bash\nuntil [ -e "${path('gate')}" ]; do sleep 0.05; done\n${exports}\nexec /bin/sh -c "\${@: -1}"\n`,
  )
  chmodSync(path('slow-shell'), 0o755)
  const server = await startModelServer({ script })
  onTestFinished(() => server.close())
  const config = configFor(server.baseUrl).replace(/api_key = .*/, 'api_key_env = "MY_MODEL_KEY"')
  writeConfig(scratch.home, `${config}[sandbox]\nmode = "off"\n[environment]\nshell = "${path('slow-shell')}"\n${more}`)
  const engine = await createEngine({
    version: '0',
    home: scratch.home,
    interactive: true,
    watch: false,
    log: () => {},
    loginShell: { node: { path: process.execPath }, limitMs },
  })
  onTestFinished(() => engine.close())
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'auto' })
  const events: SessionEvent[] = []
  engine.sessions.listen(sessionId, (event) => events.push(event))
  const letGo = (): void => writeFileSync(path('gate'), 'go\n')
  const say = (text: string) => engine.sessions.prompt(sessionId, [{ type: 'text', text }])
  const ended = () => until(() => events.some(({ type }) => type === 'turn.finished'), 'the end of the turn')
  const results = (): string => JSON.stringify(events.filter(({ type }) => type === 'tool.finished'))
  return { engine, server, results, path, letGo, say, ended }
}

test('the engine opens while the login shell is starting; a turn waits for it, and has its PATH, variables and keys', async () => {
  const { engine, server, results, letGo, say, ended } = await openBehindSlowShell([
    { toolCalls: [{ name: 'Bash', input: { command: 'mytool', description: 'Run it' } }] },
    { text: 'done' },
  ])
  expect(engine.environment.view()).toMatchObject({ state: 'reading' })
  const said = say('go')
  expect(server.requests).toHaveLength(0)
  letGo()
  await Promise.all([said, ended()])
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer key-of-the-shell')
  expect(results()).toContain('mytool ran with from-the-shell')
  expect(engine.environment.view()).toMatchObject({
    state: 'ready',
    path: expect.arrayContaining([expect.stringMatching(/tools$/)]),
  })
})

test('a hook and an MCP server started before the login shell is read have its environment', async () => {
  const { engine, path, letGo, say, ended } = await openBehindSlowShell([{ text: 'done' }], {
    more: `[[hooks]]\nevent = "UserPromptSubmit"\ncommand = "mytool > asked"\n`,
  })
  const { servers } = await engine.mcp.save(
    { scope: 'user', name: 'mine' },
    { transport: 'stdio', command: 'mytool', args: [], env: {}, ...SWITCHES },
  )
  const [server] = servers
  const tested = engine.mcp.test(server!.serverId)
  const said = say('go')
  letGo()
  await Promise.all([said, ended()])
  expect(readFileSync(path('asked'), 'utf8')).toBe('mytool ran with from-the-shell\n')
  // It is not a server, but it was found; without waiting for the shell, it would not be.
  expect(JSON.stringify(await tested)).not.toContain('ENOENT')
})

test("commands run in Trestle's own environment when the login shell does not answer, and Settings says why", async () => {
  const { engine, results, say, ended } = await openBehindSlowShell(
    [
      { toolCalls: [{ name: 'Bash', input: { command: 'mytool || echo missing', description: 'Run it' } }] },
      { text: 'done' },
    ],
    { limitMs: 300, more: '[providers.other]\ntype = "anthropic"\n' },
  )
  process.env['MY_MODEL_KEY'] = 'key-of-the-process'
  await say('go')
  await ended()
  expect(results()).toContain('missing')
  expect(engine.environment.view()).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('did not finish its startup files'),
  })
})
