import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChat, type ChatTerminal } from '../support/chat-terminal'
import type { ModelScript } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

let scratch: Scratch
let server: ModelServer
let chat: ChatTerminal | undefined

beforeEach(() => {
  scratch = createScratch({})
})
afterEach(async () => {
  chat?.kill()
  await chat?.ended
  chat = undefined
  await server.close()
  scratch.remove()
})

async function chatWith(script: ModelScript, env: Record<string, string> = {}): Promise<ChatTerminal> {
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
  chat = startChat(['--cwd', scratch.project], { home: scratch.home, env })
  await chat.shows('›')
  return chat
}

const sent = (index: number): string => JSON.stringify(server.requests[index]!.body['messages'])

async function quit(terminal: ChatTerminal): Promise<void> {
  terminal.type('\x04')
  expect(await terminal.ended).toEqual({ code: 0 })
}

test('shows a queued message, and Ctrl-C returns it to the input line instead of sending it after the next one', async () => {
  const terminal = await chatWith([
    { text: 'on and on '.repeat(200), faults: { stallAfterBytes: 4000 } },
    { text: 'Second answer.' },
  ])
  terminal.type('go\r')
  await terminal.shows('on and on')
  terminal.type('and then this\r')
  await terminal.shows('Queued until this turn ends (Ctrl-C cancels it): and then this')
  terminal.type('\x03')
  await terminal.shows(/Stopped\.\n.* · Ask first\n› and then this$/)
  terminal.type('\x15something else\r')
  await terminal.shows(/Second answer\.\n1 step, .*\n.* · Ask first.*\n›/)
  expect(server.requests).toHaveLength(2)
  expect(sent(1)).toContain('something else')
  expect(sent(1)).not.toContain('and then this')
  await quit(terminal)
})

test('/skills:name uses a skill, and lists the available ones when the name is unknown', async () => {
  mkdirSync(join(scratch.home, 'skills', 'tidy'), { recursive: true })
  writeFileSync(
    join(scratch.home, 'skills', 'tidy', 'SKILL.md'),
    '---\nname: tidy\ndescription: tidies\n---\nPut everything in its place.\n',
  )
  const terminal = await chatWith([{ text: 'Tidied.' }])
  terminal.type('/skills:tydi the attic\r')
  await terminal.shows('No skill is named tydi. Did you mean /skills:tidy?')
  terminal.type('/skills:tidy the attic\r')
  await terminal.shows('Tidied.')
  expect(sent(0)).toContain('Put everything in its place.')
  await quit(terminal)
})

test('an answer is rendered as Markdown, with model, mode and context use above the next prompt', async () => {
  const text =
    '## Result\n\nIt is **done**, see `a.ts`:\n\n- one\n- two\n\n' +
    '| a | b |\n|---|---|\n| 1 | 2 |\n\n\u001b]0;evil\u0007\n'
  const terminal = await chatWith([{ text, usage: { input: 10, output: 5, cached: 0, thinking: 0 } }])
  terminal.type('go\r')
  await terminal.shows(/of context\n›$/)
  expect(terminal.screen()).toMatch(
    /\nResult\n\nIt is done, see a\.ts:\n\n• one\n• two\n\na │ b\n──┼──\n1 │ 2\n\n␛\]0;evil␇\n1 step, [^\n]*\n[^\n]+ · Ask first · [^\n]*% of context\n/,
  )
  expect(terminal.raw()).toContain('\u001b[1mdone\u001b[22m')
  expect(terminal.raw()).not.toContain('\u001b]0;evil')
})

test('without colors an answer is printed as written', async () => {
  const terminal = await chatWith([{ text: '## Result\n\nIt is **done**.' }], { NO_COLOR: '1' })
  terminal.type('go\r')
  await terminal.shows('It is **done**.')
  expect(terminal.screen()).toContain('## Result')
})

test('a chat without a model says how to connect one, and a rejected key is explained with commands', async () => {
  server = await startModelServer({ script: [{ faults: { status: 401 } }] })
  chat = startChat(['--cwd', scratch.project], { home: scratch.home })
  await chat.shows(/trestle\s+provider\s+add\s+NAME\s+connects\s+others\.[^›]*›/)
  chat.type('hello\r')
  await chat.shows(/Connect\s+a\s+provider\s+in\s+another\s+terminal:\s+trestle\s+provider\s+add\s+NAME/)
  await quit(chat)
  writeConfig(scratch.home, configFor(server.baseUrl))
  chat = startChat(['--cwd', scratch.project], { home: scratch.home })
  await chat.shows('›')
  chat.type('hello again\r')
  await server.arrived(1)
  expect(sent(0)).toContain('hello again')
  await chat.shows(/Check\s+the\s+key\s+with:\s+trestle\s+provider\s+test\s+NAME/)
  await quit(chat)
})
