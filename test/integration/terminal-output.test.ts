import { spawn } from 'node-pty'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { endHosts, openSupervisor } from '../support/source-task-host'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
const ESC = '\u001b'
/** Title, clipboard, link, clear, hidden text, a C1 sequence and a direction mark. */
const EVIL = `${ESC}]0;owned\u0007${ESC}]52;c;aGFja2Vk\u0007${ESC}]8;;http://evil.example${ESC}\\link${ESC}[2J${ESC}[8mx\u009b2J\u202egnp`

let scratch: Scratch
let server: ModelServer
beforeEach(async () => {
  scratch = createScratch({ 'notes.md': 'one\n' })
  server = await startModelServer({
    script: [{ toolCalls: [{ name: 'Bash', input: { command: `ls '${EVIL}'` } }] }, { text: `Done ${EVIL} end` }],
  })
  writeConfig(scratch.home, configFor(server.baseUrl))
})
afterEach(async () => {
  await server.close()
  await endHosts(scratch.home)
  scratch.remove()
})

/** Runs the built program in its own terminal until it exits; returns everything that reached the terminal. */
async function inTerminal(...args: string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env
  const pty = spawn(process.execPath, [CLI, ...args], {
    cols: 200,
    rows: 40,
    env: { PATH, HOME, TERM: 'xterm-256color', TRESTLE_HOME: scratch.home },
  })
  let raw = ''
  pty.onData((text) => (raw += text))
  await new Promise<void>((resolve) => pty.onExit(() => resolve()))
  return raw
}

/** The control characters in the output, except the terminal's own line endings. */
function steering(raw: string): string[] {
  return [...raw.replaceAll('\r\n', '\n').matchAll(/[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu)].map(([char]) =>
    JSON.stringify(char),
  )
}

test('print removes escape sequences of a model and of its calls from terminal output', async () => {
  const raw = await inTerminal('print', 'go', '--cwd', scratch.project)
  expect(raw).toContain('Done')
  expect(raw).toContain('end')
  expect(steering(raw)).toEqual([])
})

test('a pipe gets the answer byte by byte', async () => {
  const { stdout, stderr } = await runCli(['print', 'go', '--cwd', scratch.project], { home: scratch.home })
  expect(stdout).toBe(`Done ${EVIL} end\n`)
  expect(steering(stderr)).toEqual([])
})

test('lists of sessions, their messages and their export can neither control the terminal nor imitate another row', async () => {
  await runCli(['print', `${EVIL}\nfake row`, '--cwd', scratch.project], { home: scratch.home })
  const [session] = JSON.parse((await runCli(['session', 'list', '--json'], { home: scratch.home })).stdout) as {
    sessionId: string
  }[]
  const id = session!.sessionId
  const list = await inTerminal('session', 'list')
  expect(list.trimEnd().split('\n')).toHaveLength(2)
  for (const raw of [
    list,
    await inTerminal('session', 'show', id),
    await inTerminal('session', 'export', id),
    await inTerminal('session', 'show', id, '--json'),
  ])
    expect(steering(raw)).toEqual([])
})

test('messages about typed or configured values cannot control the terminal', async () => {
  for (const args of [
    [`x${EVIL}`],
    ['session', 'show', `x${EVIL}`],
    ['mcp', 'tools', `x${EVIL}`],
    ['print', '--nope' + EVIL],
  ]) {
    const raw = await inTerminal(...args)
    expect(raw).not.toBe('')
    expect(steering(raw)).toEqual([])
  }
})

test('task output keeps only its colors on a terminal, and a pipe gets it byte by byte', async () => {
  const supervisor = openSupervisor(scratch.home)
  try {
    const bytes = `${ESC}[31mred${ESC}[0m ${EVIL}\n`
    const command = `printf %s ${JSON.stringify(Buffer.from(bytes).toString('base64'))} | base64 -d`
    const { taskId } = await supervisor.start({
      command,
      cwd: scratch.project,
      timeoutMs: null,
      description: `d${EVIL}\nrow`,
    })
    await expect.poll(async () => (await supervisor.get(taskId)).status).not.toBe('running')
    const raw = await inTerminal('task', 'output', taskId)
    expect(raw).toContain(`${ESC}[31mred`)
    // oxlint-disable-next-line no-control-regex -- colors are allowed
    expect(steering(raw.replaceAll(/\u001b\[[\d;]*m/g, ''))).toEqual([])
    expect(raw).not.toContain(`${ESC}[8m`)
    expect((await runCli(['task', 'output', taskId], { home: scratch.home })).stdout.replaceAll('\r\n', '\n')).toBe(
      bytes,
    )
    expect(steering(await inTerminal('task', 'list', '--all'))).toEqual([])
  } finally {
    await supervisor.close()
  }
})
