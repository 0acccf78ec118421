import { afterEach, describe, expect, test } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { acpEditor, EDITOR_CAPABILITIES } from '../support/acp-editor'
import { acpRun, choosing, say } from '../support/acp-run'
import type { ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { RUNS_ALL } from '../support/sampled'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { endHosts, sourceTaskHost } from '../support/source-task-host'
import { until } from '../support/until'

type Mode = 'accept-edits' | 'auto'

/** A port that only these sandboxes use: each has its own localhost. */
const PORT = 8123
const FILES = {
  'server.mjs': `import { createServer } from 'node:http'
createServer((_, response) => response.end('answer ' + 6 * 7)).listen(${PORT}, 'localhost')
`,
  // A server takes a moment to start.
  'ask.mjs': `let answer
for (const until = Date.now() + 60_000; answer === undefined && Date.now() < until; )
  answer = await fetch('http://localhost:${PORT}').then((found) => found.text(), () => undefined)
console.log(answer ?? 'nothing listens there')
`,
}
const CURL = `curl -sS --retry 60 --retry-connrefused --retry-delay 1 --retry-max-time 60 http://localhost:${PORT}`

const bash = (command: string, more: object = {}): ScriptStep => ({
  toolCalls: [{ name: 'Bash', input: { command, ...more } }],
})
/** A command that runs first, so that the session already has a sandbox. */
const STEPS: ScriptStep[] = [
  bash('node --version'),
  bash('node server.mjs', { run_in_background: true, description: 'A server' }),
  bash('node ask.mjs'),
  bash(CURL),
  { text: 'done' },
]

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** The results of calls that the model received. */
function told(server: ModelServer): string[] {
  const { messages } = server.requests.at(-1)!.body as { messages: { role: string; content: string }[] }
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
}

async function prepared(script: ScriptStep[] = STEPS): Promise<{ scratch: Scratch; server: ModelServer }> {
  const scratch = createScratch(FILES)
  const server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
  cleanups.push(
    () => scratch.remove(),
    () => server.close(),
    () => endHosts(scratch.home),
  )
  return { scratch, server }
}

async function inPrint(mode: Mode): Promise<string[]> {
  const { scratch, server } = await prepared()
  const run = await runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', mode], { home: scratch.home })
  expect(run).toMatchObject({ code: 0 })
  return told(server)
}

async function inWeb(mode: Mode): Promise<string[]> {
  const { scratch, server } = await prepared()
  const engine = await createEngine({
    version: '0',
    home: scratch.home,
    watch: false,
    interactive: true,
    taskHost: sourceTaskHost,
    log() {},
  })
  cleanups.push(() => engine.close('stop'))
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(
    () => engine.sessions.since(sessionId, 0).some(({ type }) => type === 'turn.finished'),
    'the turn to end',
    120_000,
  )
  return told(server)
}

async function inEditor(mode: Mode, capabilities: object): Promise<string[]> {
  const editor = acpEditor()
  const run = await acpRun({
    script: STEPS,
    files: FILES,
    answers: { ...editor.answers, 'session/request_permission': choosing('allow_once') },
  })
  cleanups.push(
    () => editor.close(),
    () => run.close(),
    () => endHosts(run.scratch.home),
  )
  await run.client.request('initialize', { protocolVersion: 1, clientCapabilities: capabilities })
  const { sessionId } = await run.client.request('session/new', { cwd: run.scratch.project, mcpServers: [] })
  await run.client.request('session/set_mode', { sessionId, modeId: mode })
  await say(run.client, sessionId, 'go')
  return told(run.server)
}

const HOSTS: [string, (mode: Mode) => Promise<string[]>][] = [
  ['print mode', inPrint],
  ['the web app', inWeb],
  ['an editor without terminals', (mode) => inEditor(mode, {})],
  ['an editor with terminals', (mode) => inEditor(mode, EDITOR_CAPABILITIES)],
]
const NETWORKS: [string, Mode][] = [
  ['no network', 'accept-edits'],
  ['listed hosts', 'auto'],
]

describe.skipIf(sandboxSupport().kind === 'none')(
  'a server started in the background answers later commands at localhost',
  { timeout: 180_000 },
  () => {
    // Each host with one of the two, so that both are tried in two hosts.
    for (const [index, [host, run]] of HOSTS.entries())
      test.for(RUNS_ALL ? NETWORKS : [NETWORKS[index % 2]!])(`in ${host}, with %s`, async ([, mode]) => {
        const [, , asked, curled] = await run(mode)
        expect(asked).toContain('answer 42')
        expect(curled).toContain('answer 42')
      })

    test('that a print run of the same session left running', async () => {
      const { scratch, server } = await prepared([...STEPS.slice(0, 2), { text: 'started' }, ...STEPS.slice(2)])
      const print = (...more: string[]) =>
        runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', 'auto', ...more], { home: scratch.home })
      await print()
      await print('--continue')
      expect(told(server).at(-1)).toContain('answer 42')
    })

    test('but not to the commands of another session', async () => {
      const ask: ScriptStep = bash(`curl -sS --max-time 5 http://localhost:${PORT} || echo refused`)
      const { scratch, server } = await prepared([...STEPS, ask, { text: 'done' }])
      const print = () =>
        runCli(['print', 'go', '--cwd', scratch.project, '--permission-mode', 'auto'], { home: scratch.home })
      await print()
      expect(told(server).at(-1)).toContain('answer 42')
      await print()
      expect(told(server)).toEqual([expect.stringContaining('refused')])
    })
  },
)
