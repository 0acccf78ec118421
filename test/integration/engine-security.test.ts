import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { version } from '../../package.json'
import { sandboxSupport } from '../../src/main/engine/sandbox/sandbox-support'
import { findEngine } from '../../src/main/role/attach'
import { engineEndpoint } from '../../src/main/role/engine-endpoint'
import { MAX_WIRE_LINE_BYTES } from '../../src/shared/contract/stdio-wire'
import { EngineLab, Followed } from '../support/engine-lab'

const OTHER_USER = 65534

let lab: EngineLab
afterEach(() => lab.end())

const socketOf = (): string => engineEndpoint(lab.home).newest()!.path
const keyOf = (): string => readFileSync(join(lab.home, 'run', 'engine.key'), 'utf8')

/** Everything received on a connection until the other side closes it. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

test('another user of the machine can neither connect nor read the key, even if a folder is accessible to everyone', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('Becoming another user needs root.')
  lab = await EngineLab.start([])
  await lab.startEngine()
  const [socket, key] = [socketOf(), join(lab.home, 'run', 'engine.key')]
  const tries = `
    const { connect } = require('node:net'), { readFileSync } = require('node:fs'), failed = []
    try { readFileSync(process.argv[2]); failed.push('read') } catch (error) { failed.push(error.code) }
    connect(process.argv[1], () => { console.log('connected'); process.exit() })
      .on('error', (error) => console.log(error.code, failed.join()))`
  const asOther = (): string => {
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', tries, socket, key], {
      uid: OTHER_USER,
      gid: OTHER_USER,
      cwd: '/',
      env: {},
      encoding: 'utf8',
    })
    return `${stdout}${stderr}`.trim()
  }
  expect(asOther()).toBe('EACCES EACCES')
  // Even in accessible folders, only the user can use the socket and the key.
  for (const folder of [dirname(lab.home), lab.home, dirname(socket)]) chmodSync(folder, 0o755)
  expect(asOther()).toBe('EACCES EACCES')
  expect(await lab.status()).toBeDefined()
})

test('a program without the key gets nothing but a greeting, whatever it sends', async () => {
  lab = await EngineLab.start([])
  await lab.startEngine()
  const hello = { trestle: 'engine', protocol: 1, version, nonce: 'a'.repeat(64) }
  const request = { id: 1, method: 'session.list', input: {} }
  for (const lines of [
    [request],
    [hello, request],
    [hello, { proof: 'f'.repeat(64) }, request],
    [hello, { proof: keyOf() }, request],
  ]) {
    const socket = connect(socketOf())
    socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const answer = await untilClosed(socket)
    expect(answer).not.toContain('result')
    expect(answer).not.toContain(keyOf())
    expect(answer.trim().split('\n').filter(Boolean).length).toBeLessThanOrEqual(1)
  }
  // Longer than any greeting.
  const flood = connect(socketOf())
  flood.on('error', () => {})
  flood.write('x'.repeat(1_000_000))
  expect(await untilClosed(flood)).toBe('')
  expect(await lab.status()).toMatchObject({ running: 0 })
})

test('a line that is too long is refused and never buffered; the connection and the engine stay', async () => {
  lab = await EngineLab.start([])
  await lab.startEngine()
  const { socket, engine } = (await findEngine({ home: lab.home, version }))!
  const answers: { id: unknown; error?: { message: string }; result?: unknown }[] = []
  let rest = ''
  const answered = new Promise<void>((resolve) =>
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      answers.push(...lines.map((line) => JSON.parse(line) as (typeof answers)[0]).filter((line) => 'id' in line))
      if (answers.some(({ id }) => id === 2)) resolve()
    }),
  )
  socket.resume()
  const piece = Buffer.alloc(4 * 1024 * 1024, 'x')
  for (let sent = 0; sent <= MAX_WIRE_LINE_BYTES; sent += piece.length)
    if (!socket.write(piece)) await once(socket, 'drain')
  socket.write(`\n${JSON.stringify({ id: 2, method: 'engine.status' })}\n`)
  await answered
  expect(answers[0]).toMatchObject({ id: null, error: { message: expect.stringContaining('is longer than') } })
  expect(answers[1]).toMatchObject({ id: 2, result: { pid: engine.pid } })
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${engine.pid}/status`, 'utf8'))?.[1]) / 1024
  expect(peak).toBeLessThan(350)
  socket.destroy()
})

test('a command in the sandbox sees neither the key nor the socket of its engine', async ({ skip }) => {
  if (sandboxSupport().kind === 'none') skip('There is no sandbox here.')
  const tries = (run: string): string =>
    `ls -A ${run}; cat ${run}/engine.key; for s in ${run}/*-e.*; ` +
    `do ${process.execPath} -e 'require("net").connect(process.argv[1], ` +
    `() => console.log("connected")).on("error", (e) => console.log(e.code))' "$s"; done; touch ran\n`
  lab = await EngineLab.start(({ body }) =>
    JSON.stringify(body['messages']).includes('"role":"tool"')
      ? { text: 'done' }
      : { toolCalls: [{ name: 'Bash', input: { command: 'sh probe.sh' } }] },
  )
  // In a file, because paths in the command line would be judged before it runs.
  writeFileSync(join(lab.scratch.project, 'probe.sh'), tries(join(lab.home, 'run')))
  await lab.startEngine()
  const link = lab.link()
  const { sessionId } = await link.client.session.create({ folder: lab.scratch.project, mode: 'auto' })
  const followed = new Followed(link, sessionId)
  await link.client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'go' }] })
  await Promise.race([followed.has('turn.finished'), followed.has('approval.requested')])
  expect(existsSync(join(lab.scratch.project, 'ran'))).toBe(true)
  const { messages } = lab.server.requests[1]!.body as { messages: { role: string; content: string }[] }
  const output = messages.find(({ role }) => role === 'tool')!.content
  expect(output).not.toContain(keyOf())
  expect(output).not.toContain('connected')
  expect(output).toMatch(/No such file|Permission denied|ENOENT|EACCES/)
})
