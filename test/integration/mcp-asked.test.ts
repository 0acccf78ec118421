import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { textOf } from '../../src/shared/model/turn/message'
import { mcpLab, stdioServer, type McpLab } from '../support/mcp-lab'
import { startModelServer } from '../support/model-server'
import { nodeProgram } from '../support/node-program'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { until } from '../support/until'
import { startWebProcess } from '../support/web-process'

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const [COMMAND, ...ARGS] = nodeProgram(EVERYTHING)
const DEFINITION = { command: COMMAND, args: [...ARGS, 'stdio'] }
const RESOURCE = 'demo://resource/dynamic/text/7'
/** Tools that ask are offered once the server knows its client; this call keeps the turn busy until then. */
const BEGIN = { name: 'mcp__everything__trigger-long-running-operation', input: { duration: 1.6, steps: 1 } }
const ASK = { name: 'mcp__everything__trigger-elicitation-request', input: {} }

it('a form that was open when the app was killed ends, and its call is not run again', async () => {
  const scratch = createScratch()
  onTestFinished(() => scratch.remove())
  const steps = [{ toolCalls: [BEGIN] }, { toolCalls: [ASK] }]
  const model = await startModelServer({ script: () => steps.shift() ?? { text: 'well' } })
  onTestFinished(() => model.close())
  writeConfig(scratch.home, configFor(model.baseUrl, { more: 'default_permission_mode = "auto"' }))
  writeFileSync(join(scratch.home, 'mcp.json'), JSON.stringify({ mcpServers: { everything: DEFINITION } }))
  let host = await startWebProcess(scratch.home)
  onTestFinished(() => host.kill())
  let { client } = host.connect()
  const { sessionId } = await client.session.create({ folder: scratch.project })
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'go' }] })
  await expect.poll(async () => (await client.approval.list()).map(({ asks }) => asks)).toEqual(['form'])
  await host.kill()
  host = await startWebProcess(scratch.home)
  ;({ client } = host.connect())
  const { events, header } = await client.session.open({ sessionId })
  expect(await client.approval.list()).toEqual([])
  expect(header).toMatchObject({ approvals: [], lastStop: 'interrupted' })
  const last = events
    .slice(-3)
    .map((event) => [event.type, 'reason' in event ? event.reason : 'content' in event && textOf(event.content as [])])
  expect(last).toEqual([
    ['approval.resolved', 'Trestle was closed before it was answered.'],
    ['tool.finished', expect.stringMatching(/^Interrupted/)],
    ['turn.finished', false],
  ])
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'and now' }] })
  await expect.poll(async () => (await client.session.open({ sessionId })).header.lastStop).toBe('end_turn')
})

it('stopping the turn closes its form and ends the call', async () => {
  const lab = await mcpLab(() => ({ everything: DEFINITION }))
  const session = await lab.session()
  await lab.calls(session, [BEGIN])
  await lab.begin(session, [ASK])
  await until(() => lab.engine.inbox.list().length === 1, 'the form')
  await lab.engine.sessions.stop(session)
  expect(lab.engine.inbox.list()).toEqual([])
  expect(lab.of(session, 'approval.resolved')).toMatchObject([
    { outcome: 'cancelled', reason: 'The turn was stopped.' },
  ])
  expect(lab.of(session, 'tool.finished').at(-1)).toMatchObject({ isError: true })
})

it('a script does not wait for an answer', async () => {
  const lab = await mcpLab(() => ({ everything: DEFINITION }), { isInteractive: false })
  const session = await lab.session()
  await lab.calls(session, [BEGIN])
  const [result] = await lab.calls(session, [ASK])
  expect(result).toContain('"action": "cancel"')
  expect(lab.of(session, 'approval.requested')).toEqual([])
})

async function say(lab: McpLab, session: string, text: string): Promise<string> {
  const turns = lab.of(session, 'turn.finished').length
  await lab.engine.sessions.prompt(session, [{ type: 'text', text }])
  await lab.ended(session, turns + 1)
  return JSON.stringify(lab.requests().at(-1)?.body)
}

it('the agent is told once that a resource it was given has changed', async () => {
  const lab = await mcpLab(() => ({ everything: DEFINITION }))
  const session = await lab.session()
  // Before any server was started: the mention starts it.
  expect(await say(lab, session, `Read @everything:${RESOURCE}`)).toContain('Resource 7: ')
  expect(lab.of(session, 'session.changed')).toMatchObject([{ title: `Read @everything:${RESOURCE}` }])
  await lab.calls(session, [{ name: 'mcp__everything__toggle-subscriber-updates', input: {} }])
  let told = ''
  await expect
    .poll(async () => (told = await say(lab, session, 'anything new?')))
    .toContain(`<resource-changed server=\\"everything\\" uri=\\"${RESOURCE}\\">`)
  const times = (body: string): number => body.split('<resource-changed').length - 1
  expect(times(told)).toBe(1)
  expect(times(await say(lab, session, 'and now?'))).toBe(1)
})

it('a message that mentions something missing is neither sent, queued nor recorded', async () => {
  const lab = await mcpLab(() => ({ everything: DEFINITION }))
  const session = await lab.session()
  const prompt = (text: string): Promise<unknown> => lab.engine.sessions.prompt(session, [{ type: 'text', text }])
  await expect(prompt('@everything:demo://nowhere')).rejects.toMatchObject({ code: 'mcp.answer' })
  await expect(prompt('/mcp:everything:args-prompt')).rejects.toMatchObject({ code: 'mcp.not_attached' })
  await expect(
    lab.engine.sessions.steer(session, { parts: [{ type: 'text', text: '/mcp:missing:x' }] }),
  ).rejects.toMatchObject({
    code: 'mcp.not_attached',
  })
  expect(lab.of(session, 'turn.started')).toEqual([])
  expect(lab.engine.sessions.header(session).queue).toEqual([])
})

it('tells the user once that a server asked for a form with a field of an unsupported type', async () => {
  const lab = await mcpLab(() => ({ post: stdioServer(['odd-form']) }))
  const notices: string[] = []
  onTestFinished(lab.engine.onChange((change) => void (change.kind === 'notice' && notices.push(change.text))))
  const session = await lab.session()
  const call = { name: 'mcp__post__odd-form', input: {} }
  expect(await lab.calls(session, [call])).toEqual(['not asked'])
  expect(await lab.calls(session, [call])).toEqual(['not asked'])
  // On a busy machine, there is another notice that the server takes long to start.
  expect(notices.filter((text) => text.includes('asked for'))).toEqual([
    'The MCP server post asked for a form whose field “address” is of an unsupported type (object). ' +
      'Trestle cannot show it, so it was refused.',
  ])
})
