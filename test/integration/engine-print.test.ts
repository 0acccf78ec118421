import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { EngineLab } from '../support/engine-lab'
import { runCli, startCli } from '../support/run-cli'

let lab: EngineLab
afterEach(() => lab.end())

const print = (args: string[]) => runCli(['print', ...args, '--cwd', lab.scratch.project], { home: lab.home })

test('print joins the running engine: same output, and its other clients see the session', async () => {
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('"role":"tool"')
      ? { text: 'It says one.', usage: { input: 20, output: 5 } }
      : { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }], usage: { input: 10, output: 5 } },
  )
  const alone = await print(['what?', '--output-format', 'json'])
  await lab.startEngine()
  const joined = await print(['what?', '--output-format', 'json'])
  expect([alone.code, joined.code, joined.stderr]).toEqual([0, 0, alone.stderr])
  const results = [alone, joined].map(({ stdout }) => JSON.parse(stdout) as Record<string, unknown>)
  const comparable = ({ sessionId: _id, durationMs: _ms, ...rest }: Record<string, unknown>) => rest
  expect(comparable(results[1]!)).toEqual(comparable(results[0]!))
  const link = lab.link()
  expect((await link.client.session.list({})).map(({ sessionId }) => sessionId)).toContain(results[1]!['sessionId'])
  expect(await lab.status()).toMatchObject({ running: 0 })
  const streamed = await print(['again', '--continue', '--output-format', 'stream-json'])
  const types = streamed.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect(types[0]).toBe('turn.started')
  expect(types.slice(-2)).toEqual(['turn.finished', 'result'])
})

test('a joined print asks nothing: calls that need approval are denied, and the exit code shows it', async () => {
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('"role":"tool"')
      ? { text: 'I may not.' }
      : { toolCalls: [{ name: 'Write', input: { path: 'new.md', content: 'x' } }] },
  )
  await lab.startEngine()
  const { code, stdout, stderr } = await print(['write', '--permission-mode', 'ask'])
  expect({ code, stdout }).toEqual({ code: 3, stdout: 'I may not.\n' })
  expect(stderr).toContain('1 call was denied')
  expect(JSON.stringify(lab.server.requests[0]!.body)).toContain('No user can approve anything in this session')
})

test('a joined print keeps its own step limit', async () => {
  lab = await EngineLab.start((_request, index) => ({
    text: `step ${index}`,
    toolCalls: [{ name: 'Read', input: { path: 'notes.md', n_lines: index + 1 } }],
  }))
  await lab.startEngine()
  const { code, stderr } = await print(['go', '--max-steps', '2'])
  expect(code).toBe(1)
  expect(stderr).toContain('the turn was ended after 2 steps')
})

test('Ctrl-C in a joined print stops its turn, and nothing else', async () => {
  lab = await EngineLab.start(() => ({ text: 'never said', faults: { stallAfterBytes: 1 } }))
  await lab.startEngine()
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project })
  await link.client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'other' }] })
  const child = startCli(['print', 'go', '--cwd', lab.scratch.project], { home: lab.home })
  child.stdin.end()
  await lab.server.arrived(2)
  child.kill('SIGINT')
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130)
  const sessions = await link.client.session.list({})
  expect(sessions.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual(['idle', 'running'])
})

test('a print whose engine is killed gets the rest of its turn from the next one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }, index) => {
    if (!JSON.stringify(body['messages']).includes('"role":"tool"'))
      return { toolCalls: [{ name: 'Bash', input: { command: 'echo ran >> made' } }] }
    if (index === 1) await promise
    return { text: 'done' }
  })
  await lab.startEngine()
  const child = startCli(['print', 'go', '--permission-mode', 'auto', '--cwd', lab.scratch.project], { home: lab.home })
  child.stdin.end()
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await lab.server.arrived(2)
  await lab.killEngine()
  expect(await new Promise((done) => child.once('close', done))).toBe(0)
  resolve()
  expect(out).toBe('done\n')
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('ran\n')
})

test('print runs in its own process when told to, and as a command of an agent', async () => {
  const answers = [0, 1, 2].map(() => Promise.withResolvers<void>())
  lab = await EngineLab.start(async (_request, index) => {
    await answers[index]!.promise
    return { text: 'done' }
  })
  await lab.startEngine()
  let runs = 0
  const joins = async (env: Record<string, string>, args: string[] = []): Promise<boolean> => {
    const run = runCli(['print', 'go', '--cwd', lab.scratch.project, ...args], { home: lab.home, env })
    await lab.server.arrived(runs + 1)
    const { running } = (await lab.status())!
    answers[runs]!.resolve()
    runs += 1
    expect(await run).toMatchObject({ code: 0, stdout: 'done\n' })
    return running === 1
  }
  expect(await joins({})).toBe(true)
  expect(await joins({}, ['--own-process'])).toBe(false)
  expect(await joins({ TRESTLE_TASK: 'bash-12345678' })).toBe(false)
})

test('variables set for one print reach its commands, and neither other turns nor the store', async () => {
  lab = await EngineLab.start(({ body }) => {
    const said = JSON.stringify(body['messages'])
    if (said.includes('"role":"tool"')) return { text: /mark:(\w*)/.exec(said.split('"role":"tool"')[1]!)?.[1] ?? '' }
    return { toolCalls: [{ name: 'Bash', input: { command: 'echo "mark:${PLACE:-nothing}"' } }] }
  })
  await lab.startEngine()
  const where = async (env: Record<string, string>): Promise<string> => {
    const args = ['print', 'where?', '--permission-mode', 'auto', '--cwd', lab.scratch.project]
    return (await runCli(args, { home: lab.home, env })).stdout.trim()
  }
  expect(await where({})).toBe('nothing')
  expect(await where({ PLACE: 'mine' })).toBe('mine')
  // A different terminal type does not change the behavior of commands.
  expect(await where({ TERM: 'xterm-kitty', SHLVL: '3', TMUX: '/tmp/x,1,0' })).toBe('nothing')
  expect(await where({})).toBe('nothing')
  const { different } = (await lab.link().client.engine.environment({ marks: {} }))!
  expect(different).not.toContain('PLACE')
})

test('a value that only one print knows is never written into the home', async () => {
  lab = await EngineLab.start([{ text: 'hello' }])
  await lab.startEngine()
  const value = 'only-for-this-one-print'
  const run = await runCli(['print', 'hi', '--cwd', lab.scratch.project], { home: lab.home, env: { PLACE: value } })
  expect(run).toMatchObject({ code: 0, stdout: 'hello\n' })
  const files = readdirSync(lab.home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(value)).toBe(false)
})
