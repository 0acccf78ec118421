import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
import { agentCall, call, familyScript, said, type Part } from '../support/family-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let engine: Engine
afterEach(async () => {
  await engine.close('stop')
  await server.close()
  scratch.remove()
})

async function begin(parts: Record<string, Part>, prompt: string): Promise<string> {
  scratch = createScratch({ 'notes.md': 'one\n' })
  server = await startModelServer({ script: familyScript(parts) })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'ask' })
  await say(sessionId, prompt)
  return sessionId
}

const say = (sessionId: string, text: string) => engine.sessions.prompt(sessionId, [{ type: 'text', text }])
const log = (sessionId: string): RecordedEvent[] => engine.sessions.since(sessionId, 0)
const ofType = <Type extends EventBody['type']>(sessionId: string, type: Type) =>
  log(sessionId).filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const ended = (sessionId: string, count: number): Promise<void> =>
  until(() => ofType(sessionId, 'turn.finished').length === count, `${count} turns to end`)
const made = (name: string): boolean => existsSync(join(scratch.project, name))

async function waiting(count = 1): Promise<InboxEntry[]> {
  await until(() => engine.inbox.list().length === count, `${count} requests to wait`)
  return engine.inbox.list()
}

const stopWith = ({ sessionId, approvalId }: InboxEntry) =>
  engine.sessions.reply(sessionId, { approvalId, optionId: 'reject_stop' })

it('"Reject and stop" ends the turn without another request, with every call answered; the queue and the next prompt work', async () => {
  const sessionId = await begin(
    {
      work: [
        { toolCalls: [call('Write', { path: 'a.txt', content: 'a' }), call('Write', { path: 'b.txt', content: 'b' })] },
        { text: 'On to something else.' },
        { text: 'And the queued one.' },
      ],
    },
    'work on it',
  )
  const [first] = await waiting(2)
  await say(sessionId, 'queued meanwhile')
  await stopWith(first!)
  await ended(sessionId, 1)
  expect(ofType(sessionId, 'turn.finished')[0]!.stop).toBe('cancelled')
  expect(server.requests).toHaveLength(1)
  expect(engine.inbox.list()).toEqual([])
  expect(ofType(sessionId, 'tool.finished').map(({ content, isError }) => [isError, textOf(content)])).toEqual([
    [true, 'The user rejected this call and stopped the turn.'],
    [true, 'Not run: the turn was stopped before it was allowed.'],
  ])
  expect(made('a.txt') || made('b.txt')).toBe(false)
  // As after any stop, what is queued waits for the next turn.
  expect(engine.sessions.header(sessionId).queue).toHaveLength(1)
  await say(sessionId, 'next')
  await ended(sessionId, 3)
  expect(ofType(sessionId, 'turn.finished').map(({ stop }) => stop)).toEqual(['cancelled', 'end_turn', 'end_turn'])
  expect(said(server.requests[1]!)).toContain('The user rejected this call and stopped the turn.')
  expect(engine.sessions.header(sessionId).queue).toEqual([])
})

it(`"Reject and stop" on a subagent's call ends only the subagent; its parent continues`, async () => {
  const sessionId = await begin(
    {
      work: [{ toolCalls: [agentCall('helper does it')] }, { text: 'Then without it.' }],
      helper: [{ toolCalls: [call('Write', { path: 'a.txt', content: 'a' })] }, { text: 'never asked for' }],
    },
    'work on it',
  )
  const [entry] = await waiting()
  expect(entry!.agent).toBeDefined()
  await stopWith(entry!)
  await ended(sessionId, 1)
  expect(ofType(entry!.sessionId, 'turn.finished').map(({ stop }) => stop)).toEqual(['cancelled'])
  expect(ofType(sessionId, 'turn.finished').map(({ stop }) => stop)).toEqual(['end_turn'])
  expect(
    server.requests.filter(
      (request) => said(request).includes('helper does it') && !said(request).includes('work on it'),
    ),
  ).toHaveLength(1)
  expect(textOf(ofType(sessionId, 'tool.finished')[0]!.content)).toContain('Stopped by the user.')
  expect(made('a.txt')).toBe(false)
})
