import { afterEach, expect, it } from 'vitest'
import { createScratch, type Scratch } from '../../../../test/support/scratch'
import { until } from '../../../../test/support/until'
import type { Approval } from '../../../shared/model/approval/approval'
import type { EngineChange } from '../foundation/engine-options'
import { openStore } from '../store/open/open-store'
import type { Store } from '../store/store'
import { createInbox } from './inbox'
import { cpuMs } from '../../../../test/support/cpu-time'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0).toReversed()) cleanup()
})

function scratch(): Scratch {
  const made = createScratch()
  cleanups.push(made.remove)
  return made
}

function open({ home }: Scratch): Store {
  const { store } = openStore({ home })
  cleanups.push(() => store.close())
  return store
}

function create(store: Store, sessionId: string): void {
  store.create({ sessionId, folder: '/p', title: `Title of ${sessionId}`, mode: 'ask', addedFolders: [] })
}

/** The session's turn asks for approval. */
function ask(store: Store, sessionId: string, approvalId: string, requestedAt: number): void {
  const approval: Approval = {
    approvalId,
    turnId: 't',
    callId: approvalId,
    tool: 'Bash',
    summary: 'npm test',
    reason: 'npm can change things.',
    preview: { kind: 'text', text: 'x'.repeat(100_000) },
    options: [],
    requestedAt,
  }
  const started = store.header(sessionId)?.turnId === undefined
  store.append(sessionId, [
    ...(started ? [{ type: 'turn.started' as const, turnId: 't', parts: [], model: 'm' }] : []),
    { type: 'approval.requested', approval },
  ])
}

function resolve(store: Store, sessionId: string, approvalId: string): void {
  store.append(sessionId, [{ type: 'approval.resolved', approvalId, callId: approvalId, outcome: 'reject_once' }])
}

function inboxOf(store: Store, told: EngineChange[] = [], logged: string[] = []) {
  const inbox = createInbox({
    store,
    choices: async () => [],
    notify: (change) => told.push(change),
    log: (message) => logged.push(message),
    pollMs: 5,
  })
  cleanups.push(() => inbox.close())
  return inbox
}

it('lists pending requests of all sessions, oldest first, similar ones grouped, without previews', () => {
  const store = open(scratch())
  for (const id of ['a', 'b', 'c']) create(store, id)
  ask(store, 'b', 'third', 3)
  ask(store, 'a', 'first', 1)
  ask(store, 'b', 'second', 2)
  const inbox = inboxOf(store)
  const entries = inbox.list()
  expect(entries.map(({ approvalId }) => approvalId)).toEqual(['first', 'second', 'third'])
  expect(entries[0]).toMatchObject({ sessionId: 'a', sessionTitle: 'Title of a', folder: '/p' })
  expect(new Set(entries.map(({ group }) => group)).size).toBe(1)
  expect(JSON.stringify(entries).length).toBeLessThan(2000)
  expect(inbox.get('a', 'first').preview).toBeDefined()
  resolve(store, 'b', 'second')
  expect(inbox.list().map(({ approvalId }) => approvalId)).toEqual(['first', 'third'])
  expect(() => inbox.get('b', 'second')).toThrow('It was already rejected.')
  expect(() => inbox.get('nope', 'x')).toThrow(/no session/)
})

it('stays fast with 3,000 sessions: reads only those with pending requests, and only after a change', () => {
  const store = open(scratch())
  for (let n = 0; n < 3000; n += 1) create(store, `s${n}`)
  for (let n = 0; n < 10; n += 1) ask(store, `s${n * 300}`, `a${n}`, n)
  let read = 0
  const inbox = inboxOf({ ...store, header: (id) => ((read += 1), store.header(id)) })
  expect(inbox.list()).toHaveLength(10)
  expect(read).toBe(10)
  const began = cpuMs()
  for (let n = 0; n < 100; n += 1) inbox.list()
  expect((cpuMs() - began) / 100).toBeLessThan(5)
  expect(read).toBe(10)
  resolve(store, 's300', 'a1')
  expect(inbox.list()).toHaveLength(9)
})

it('shows the requests of another process, and reports when that process asks or answers', async () => {
  const home = scratch()
  const mine = open(home)
  const theirs = open(home)
  create(theirs, 'far')
  const told: EngineChange[] = []
  const inbox = inboxOf(mine, told)
  inbox.watch()
  ask(theirs, 'far', 'a', 1)
  await until(() => told.length === 1, 'the notification of a request')
  expect(inbox.list()).toMatchObject([{ approvalId: 'a', elsewhere: expect.stringContaining('another Trestle') }])
  resolve(theirs, 'far', 'a')
  await until(() => told.length === 2, 'the notification of its answer')
  expect(inbox.list()).toEqual([])
})

it('keeps polling after the store could not be read for a moment, and logs that once', async () => {
  const home = scratch()
  const mine = open(home)
  const theirs = open(home)
  create(theirs, 'far')
  const [told, logged]: [EngineChange[], string[]] = [[], []]
  let failures = 0
  const waiting = (): ReturnType<Store['waiting']> => {
    if (failures === 0) return mine.waiting()
    failures -= 1
    throw new Error('disk I/O error')
  }
  const inbox = inboxOf({ ...mine, waiting }, told, logged)
  inbox.watch()
  failures = 3
  await until(() => failures === 0, 'the failures')
  ask(theirs, 'far', 'a', 1)
  await until(() => told.length === 1, 'the notification of a request')
  expect(logged).toEqual([expect.stringContaining('disk I/O error')])
})
