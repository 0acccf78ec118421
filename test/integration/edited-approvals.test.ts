import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { textOf } from '../../src/shared/model/turn/message'
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

const NOTES = 'one\ntwo\nthree\n'

/** The model makes one call; resolves with the request to allow it. */
async function asked(name: string, input: Record<string, unknown>, notes = NOTES): Promise<InboxEntry> {
  scratch = createScratch({ 'notes.md': notes })
  server = await startModelServer({ script: [{ toolCalls: [{ name, input }] }, { text: 'Done.' }] })
  writeConfig(scratch.home, configFor(server.baseUrl))
  engine = await createEngine({ version: 'test', home: scratch.home, interactive: true, watch: false })
  const { sessionId } = await engine.sessions.create({ folder: scratch.project, mode: 'ask' })
  await engine.sessions.prompt(sessionId, [{ type: 'text', text: 'go' }])
  await until(() => engine.inbox.list().length === 1, 'a request to wait')
  return engine.inbox.list()[0]!
}

const path = (name: string): string => join(scratch.project, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')
const events = <Type extends EventBody['type']>(sessionId: string, type: Type) =>
  engine.sessions
    .since(sessionId, 0)
    .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
const ended = (sessionId: string): Promise<void> =>
  until(() => events(sessionId, 'turn.finished').length === 1, 'the turn to end')
const allow = ({ sessionId, approvalId }: InboxEntry, text: string, name = 'notes.md') =>
  engine.sessions.reply(sessionId, { approvalId, optionId: 'allow_once', edited: { path: path(name), text } })

const EDIT = { path: 'notes.md', old_string: 'two\nthree', new_string: 'TWO\nTHREE' }

it.each([
  ['Edit', EDIT],
  [
    'Patch',
    {
      path: 'notes.md',
      patches: [
        { find: 'two', replace: 'TWO' },
        { find: 'three', replace: 'THREE' },
      ],
    },
  ],
])('%s writes exactly what the user made of its proposal, and the agent is told', async (name, input) => {
  const entry = await asked(name, input)
  const { sessionId, approvalId } = entry
  const proposal = await engine.sessions.proposal(sessionId, approvalId)
  expect(proposal).toMatchObject({ before: NOTES, after: 'one\nTWO\nTHREE\n' })
  const text = 'one\nTWO\nthree\nfour\n'
  const { preview } = (await engine.sessions.proposal(sessionId, approvalId, { path: path('notes.md'), text }))!
  expect(read('notes.md')).toBe(NOTES)
  await allow(entry, text)
  await ended(sessionId)
  expect(read('notes.md')).toBe(text)
  const [finished] = events(sessionId, 'tool.finished')
  expect(finished).toMatchObject({ isError: false, details: { kind: 'diff', added: 2, removed: 1 } })
  expect(preview).toMatchObject({ diff: (finished!.details as { diff: string }).diff })
  expect(textOf(finished!.content)).toContain('The user changed the proposal before allowing it.')
  expect(textOf(finished!.content)).toMatch(/-THREE\n[\s\S]*\+three\n\+four/)
  expect(events(sessionId, 'approval.resolved')).toMatchObject([{ outcome: 'allow_once', edited: true }])
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('The user changed the proposal')
})

it('a new file can be edited, and a file with CRLF keeps it', async () => {
  const entry = await asked('Write', { path: 'new.txt', content: 'a\r\nb\r\n' })
  expect(await engine.sessions.proposal(entry.sessionId, entry.approvalId)).toMatchObject({ after: 'a\nb\n' })
  await allow(entry, 'a\nchanged\n', 'new.txt')
  await ended(entry.sessionId)
  expect(read('new.txt')).toBe('a\r\nchanged\r\n')
})

it('an unchanged proposal is written as proposed, without a note to the agent', async () => {
  const entry = await asked('Edit', EDIT)
  await allow(entry, 'one\nTWO\nTHREE\n')
  await ended(entry.sessionId)
  const [finished] = events(entry.sessionId, 'tool.finished')
  expect(textOf(finished!.content)).not.toContain('The user changed')
})

it('asks again about a file that has changed since it was shown, and keeps its content', async () => {
  const entry = await asked('Edit', EDIT)
  const changed = `zero\n${NOTES}`
  writeFileSync(path('notes.md'), changed)
  await expect(allow(entry, 'mine\n')).rejects.toMatchObject({ code: 'approval.gone' })
  expect(read('notes.md')).toBe(changed)
  await until(() => engine.inbox.list().length === 1, 'a new request to wait')
  const [again] = engine.inbox.list()
  expect(again?.approvalId).not.toBe(entry.approvalId)
})

it('text for another file, or for a call that writes no text, is refused', async () => {
  const entry = await asked('Bash', { command: 'touch made' })
  expect(await engine.sessions.proposal(entry.sessionId, entry.approvalId)).toBeUndefined()
  await expect(allow(entry, 'x')).rejects.toMatchObject({ code: 'request.invalid' })
  expect(engine.inbox.list()).toHaveLength(1)
})

it('refuses text for a file other than the one in the call', async () => {
  const entry = await asked('Edit', EDIT)
  await expect(allow(entry, 'x', 'other.md')).rejects.toMatchObject({ code: 'request.invalid' })
  expect(read('notes.md')).toBe(NOTES)
})
