import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startChat, type ChatTerminal } from '../support/chat-terminal'
import { EngineLab, Followed } from '../support/engine-lab'

let lab: EngineLab
let chat: ChatTerminal | undefined
afterEach(async () => {
  chat?.kill()
  await chat?.ended
  chat = undefined
  await lab.end()
})

async function open(args: string[] = []): Promise<ChatTerminal> {
  chat = startChat(['--cwd', lab.scratch.project, ...args], { home: lab.home })
  await chat.shows('›')
  return chat
}

test('a chat joins the running engine: it streams, asks, and answers; other clients see the same session', async () => {
  lab = await EngineLab.start(({ body }) => {
    const text = JSON.stringify(body['messages'])
    if (text.includes('again')) return { text: 'Second answer.' }
    if (text.includes('"role":"tool"')) return { text: 'All done.' }
    return { text: 'I make it.', toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] }
  })
  await lab.startEngine()
  const terminal = await open(['--permission-mode', 'ask'])
  const { client } = lab.link()
  terminal.type('go\r')
  await terminal.shows(/I make it\.[\s\S]*Allow\?/)
  expect((await client.approval.list()).map(({ tool }) => tool)).toEqual(['Bash'])
  terminal.type('1')
  await terminal.shows(/All done\.\n2 steps/)
  expect(existsSync(join(lab.scratch.project, 'made'))).toBe(true)
  terminal.type('/status\r')
  await terminal.shows('Ask first')
  terminal.type('again\r')
  await terminal.shows(/Second answer\.\n1 step/)
  terminal.type('\x04')
  expect(await terminal.ended).toEqual({ code: 0 })
  expect(terminal.screen()).toMatch(/Continue later with: trestle chat --session session-\w+$/)
  expect(await client.session.list({})).toMatchObject([{ status: 'done' }])
})

test('a message of several lines keeps its line breaks when a turn starts while it is typed', async () => {
  lab = await EngineLab.start(({ body }) => ({
    text: JSON.stringify(body['messages']).includes('second line') ? 'Both lines read.' : 'From elsewhere.',
  }))
  await lab.startEngine()
  const terminal = await open(['--permission-mode', 'ask'])
  const { client } = lab.link()
  terminal.type('hello\r')
  await terminal.shows(/From elsewhere\.\n1 step, .*\n.* · Ask first.*\n›/)
  const [{ sessionId } = { sessionId: '' }] = await client.session.list({})
  terminal.type('first line\\\r')
  await terminal.shows('  …')
  terminal.type('second line')
  await terminal.shows('second line')
  await client.session.prompt({ sessionId, parts: [{ type: 'text', text: 'go' }] })
  await terminal.shows('› first line⏎second line')
  terminal.type('\r')
  await terminal.shows('Both lines read.')
  expect(JSON.stringify(lab.server.requests.at(-1)!.body['messages'])).toContain('first line\\nsecond line')
  terminal.type('\x04')
  expect(await terminal.ended).toEqual({ code: 0 })
})

test('a request answered by another client disappears, and leaving a chat stops nothing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }) => {
    if (!JSON.stringify(body['messages']).includes('"role":"tool"'))
      return { toolCalls: [{ name: 'Bash', input: { command: 'touch made' } }] }
    await promise
    return { text: 'Ended alone.' }
  })
  await lab.startEngine()
  const terminal = await open(['--permission-mode', 'ask'])
  const link = lab.link()
  terminal.type('go\r')
  await terminal.shows('Allow?')
  const [{ sessionId, approvalId } = { sessionId: '', approvalId: '' }] = await link.client.approval.list()
  const followed = new Followed(link, sessionId)
  await link.client.approval.reply({ sessionId, approvalId, optionId: 'allow_once' })
  await terminal.shows('answered elsewhere')
  await lab.server.arrived(2)
  terminal.kill('SIGHUP')
  await terminal.ended
  resolve()
  await followed.has('turn.finished')
  expect(followed.events.at(-1)).toMatchObject({ stop: 'end_turn', steps: 2 })
})

test('a chat whose engine is killed continues in the next one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  lab = await EngineLab.start(async ({ body }, index) => {
    if (!JSON.stringify(body['messages']).includes('"role":"tool"'))
      return { toolCalls: [{ name: 'Read', input: { path: 'notes.md' } }] }
    if (index === 1) await promise
    return { text: 'Here again.' }
  })
  await lab.startEngine()
  const terminal = await open()
  terminal.type('go\r')
  await lab.server.arrived(2)
  await lab.killEngine()
  await terminal.shows(/Here again\.\n2 steps/)
  resolve()
  terminal.type('\x04')
  expect(await terminal.ended).toEqual({ code: 0 })
})
