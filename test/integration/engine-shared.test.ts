import { once } from 'node:events'
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { supervisorTag, SUPERVISOR_VARIABLE } from '../../src/main/engine/process/process-tag'
import { acpClient } from '../support/acp-client'
import { openSession, say } from '../support/acp-run'
import { startChat } from '../support/chat-terminal'
import { EngineLab, Followed } from '../support/engine-lab'
import { runCli, startCli } from '../support/run-cli'
import { until } from '../support/until'

let lab: EngineLab
afterEach(() => lab.end())

const SHARED = '[engine]\nshared = true'

test('a chat starts the engine if it is shared, and its turn continues after the chat has ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async () => {
    await promise
    return { text: 'Ended alone.' }
  }, SHARED)
  const chat = startChat(['--cwd', lab.scratch.project], { home: lab.home })
  await chat.shows('›')
  chat.type('go\r')
  await lab.server.arrived(1)
  expect(await lab.status()).toMatchObject({ holder: 'engine', running: 1 })
  chat.kill('SIGHUP')
  await chat.ended
  const link = lab.link('never starts one')
  const [session] = await link.client.session.list({})
  const followed = new Followed(link, session!.sessionId)
  resolve()
  await followed.has('turn.finished')
  expect(followed.events.at(-1)).toMatchObject({ stop: 'end_turn' })
})

test('an editor and the browser host start it too, and share it', async () => {
  lab = await EngineLab.start(() => ({ text: 'hi' }), SHARED)
  const editor = acpClient(startCli(['acp'], { home: lab.home }))
  const sessionId = await openSession({ client: editor, scratch: lab.scratch })
  const { pid } = (await lab.status())!
  const serve = startCli(['serve', '--port', '0'], { home: lab.home })
  let out = ''
  serve.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  await until(() => out.includes('Trestle is at'), 'the address')
  // This client asks, too.
  expect(await lab.status()).toMatchObject({ pid, clients: 3 })
  expect(await say(editor, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
  serve.kill('SIGTERM')
  await once(serve, 'close')
  expect(await editor.end()).toBe(0)
  expect(await lab.status()).toMatchObject({ pid, clients: 1 })
})

test('an editor works in a separate process, and says why, if the engine cannot be started', async () => {
  lab = await EngineLab.start(() => ({ text: 'hi' }), SHARED)
  // Nothing can listen in a folder that is a file.
  const run = join(lab.home, 'run')
  if (existsSync(run)) rmSync(run, { recursive: true })
  writeFileSync(run, '')
  const editor = acpClient(startCli(['acp'], { home: lab.home }))
  const sessionId = await openSession({ client: editor, scratch: lab.scratch })
  expect(await say(editor, sessionId, 'go')).toEqual({ stopReason: 'end_turn' })
  expect(await editor.end()).toBe(0)
  rmSync(run)
  expect(editor.stderr()).toMatch(/this agent runs in a process of its own: The engine could not be started: .+/)
})

test('a command of an agent does not become the engine, which would end with it', async () => {
  lab = await EngineLab.start([])
  const env = { [SUPERVISOR_VARIABLE]: supervisorTag(realpathSync(lab.home)) }
  const refused = { code: 2, stderr: expect.stringContaining('this is a command of an agent') as string }
  expect(await runCli(['engine'], { home: lab.home, env })).toMatchObject(refused)
  expect(await runCli(['wire', '--attach'], { home: lab.home, env })).toMatchObject({ code: 2 })
  expect(await lab.status()).toBeUndefined()
})
