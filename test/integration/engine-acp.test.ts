import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { acpClient, type AcpAnswers, type AcpClient } from '../support/acp-client'
import { acpEditor, EDITOR_CAPABILITIES } from '../support/acp-editor'
import { choosing, openSession, say } from '../support/acp-run'
import { EngineLab, Followed } from '../support/engine-lab'
import { startCli } from '../support/run-cli'

let lab: EngineLab
const clients: AcpClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end()
  await lab.end()
})

const bash = (command: string): object => ({ toolCalls: [{ name: 'Bash', input: { command } }] })
const hasResult = (body: Record<string, unknown>): boolean => JSON.stringify(body['messages']).includes('"role":"tool"')

function editor(answers: AcpAnswers = {}, env: Record<string, string> = {}): AcpClient {
  const client = acpClient(startCli(['acp'], { home: lab.home, env }), answers)
  clients.push(client)
  return client
}

test('an editor joins the running engine: other clients see its session, and can answer its requests', async () => {
  lab = await EngineLab.start(
    ({ body }) => (hasResult(body) ? { text: 'All done.' } : bash('touch made')),
    'default_permission_mode = "ask"',
  )
  await lab.startEngine()
  const asked = Promise.withResolvers<void>()
  const client = editor({
    'session/request_permission': () => {
      asked.resolve()
      return new Promise(() => {})
    },
  })
  const sessionId = await openSession({ client, scratch: lab.scratch })
  await client.request('session/set_mode', { sessionId, modeId: 'ask' })
  const answer = say(client, sessionId, 'go')
  await asked.promise
  const link = lab.link()
  const [entry] = await link.client.approval.list()
  expect(entry).toMatchObject({ sessionId, tool: 'Bash' })
  await link.client.approval.reply({ sessionId, approvalId: entry!.approvalId, optionId: 'allow_once' })
  expect(await answer).toEqual({ stopReason: 'end_turn' })
  expect(existsSync(join(lab.scratch.project, 'made'))).toBe(true)
  const texts = client.updates(sessionId, 'agent_message_chunk').map(({ content }) => content.text)
  expect(texts.join('')).toBe('All done.')
})

test('the engine works with the unsaved files and the terminals of the editor that has joined it', async () => {
  lab = await EngineLab.start(({ body }, index) => {
    if (index === 0) return { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
    if (index === 1) return bash('echo "in the editor" > made')
    return { text: JSON.stringify(body['messages']).includes('unsaved') ? 'saw it' : 'did not see it' }
  })
  await lab.startEngine()
  const { answers, buffers, terminals, close } = acpEditor()
  answers['session/request_permission'] = choosing('allow_once')
  buffers.set(join(lab.scratch.project, 'notes.md'), 'unsaved\n')
  const client = editor(answers)
  const sessionId = await openSession({ client, scratch: lab.scratch }, EDITOR_CAPABILITIES)
  await say(client, sessionId, 'go')
  expect(client.updates(sessionId, 'agent_message_chunk').at(-1)!.content.text).toContain('saw it')
  expect(terminals.size).toBeGreaterThan(0)
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('in the editor\n')
  expect(await lab.status()).toMatchObject({ running: 0 })
  await close()
})

test('closing an editor that has joined stops nothing, and the next one continues the session', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async (_request, index) => {
    if (index === 1) await promise
    return index === 0 ? { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] } : { text: 'Ended alone.' }
  })
  await lab.startEngine()
  const first = editor()
  const sessionId = await openSession({ client: first, scratch: lab.scratch })
  const followed = new Followed(lab.link(), sessionId)
  const answer = say(first, sessionId, 'go')
  await lab.server.arrived(2)
  expect(await first.end()).toBe(0)
  expect(await answer).toEqual({ stopReason: 'cancelled' })
  expect(await lab.status()).toMatchObject({ running: 1 })
  resolve()
  await followed.has('turn.finished')
  expect(followed.events.at(-1)).toMatchObject({ stop: 'end_turn', steps: 2 })
  const second = editor()
  await second.request('initialize', { protocolVersion: 1 })
  await second.request('session/load', { sessionId, cwd: lab.scratch.project, mcpServers: [] })
  expect(second.updates(sessionId, 'agent_message_chunk').at(-1)!.content.text).toBe('Ended alone.')
})

test('an editor whose engine is killed gets the rest of its turn from the next one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }, index) => {
    if (!hasResult(body)) return { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
    if (index === 1) await promise
    return { text: 'Here again.' }
  })
  await lab.startEngine()
  const client = editor()
  const sessionId = await openSession({ client, scratch: lab.scratch })
  const answer = say(client, sessionId, 'go')
  await lab.server.arrived(2)
  await lab.killEngine()
  expect(await answer).toEqual({ stopReason: 'end_turn' })
  resolve()
  expect(client.updates(sessionId, 'agent_message_chunk').at(-1)!.content.text).toContain('Here again.')
})

test('an editor with other environment variables runs its agent in a separate process, and says why', async () => {
  lab = await EngineLab.start(({ body }) => (hasResult(body) ? { text: 'done' } : bash('echo "mark:$PLACE" > made')))
  await lab.startEngine()
  const client = editor({ 'session/request_permission': choosing('allow_once') }, { PLACE: 'editor' })
  const sessionId = await openSession({ client, scratch: lab.scratch })
  await say(client, sessionId, 'go')
  expect(readFileSync(join(lab.scratch.project, 'made'), 'utf8')).toBe('mark:editor\n')
  expect(client.stderr()).toContain('runs in a process of its own, because other environment variables are set here')
  expect(client.stderr()).toContain('(PLACE)')
  expect(await lab.status()).toMatchObject({ clients: 1 })
})
