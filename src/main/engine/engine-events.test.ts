import { expect, it } from 'vitest'
import { emptyHeader } from '../../shared/events/fold-header'
import type { RecordedEvent } from '../../shared/events/event'
import { followSessions, type SessionFollowers } from './engine-events'
import type { SessionsListener } from './session/sessions-for-hosts'
import type { Session } from './session/session'

const FINISHED = { type: 'turn.finished', turnId: 't1', stop: 'end_turn', seq: 1, at: 0 } as unknown as RecordedEvent

/** The listener of parts that all fail; `called` lists them. */
function failingParts() {
  const called: string[] = []
  const logged: string[] = []
  let listener: SessionsListener = {}
  const failing = (name: string) => (): never => {
    called.push(name)
    throw new Error(`${name} failed.`)
  }
  const part = (name: string): object => ({
    recorded: failing(name),
    onRecorded: failing(name),
    removed: failing(name),
  })
  followSessions({
    sessions: { follow: (given: SessionsListener) => (listener = given) },
    notify: failing('notify'),
    keeper: part('keeper'),
    tools: { forgetReads: failing('tools') },
    inbox: { sessionChanged: failing('inbox') },
    agents: part('agents'),
    notifier: { sessionOpened: failing('notifier') },
    hooks: part('hooks'),
    features: { schedule: part('schedule'), worktrees: { ...part('worktrees'), of: () => undefined } },
    sandboxes: { sync: failing('sandboxes') },
    titles: part('titles'),
    mcp: { ...part('mcp'), leave: failing('mcp') },
    checkpoints: part('checkpoints'),
    reviews: part('reviews'),
    background: { add: failing('background') },
    backups: { takeIfDue: failing('backups') },
    log: (message: string) => logged.push(message),
  } as unknown as SessionFollowers)
  return { listener, called, logged }
}

it('tells every part of a recorded event, also after one that fails', () => {
  const { listener, called, logged } = failingParts()
  const session = { id: 's1', header: emptyHeader('s1') } as Session
  listener.recorded?.(session, emptyHeader('s1'), [FINISHED])
  expect(called).toEqual([
    'keeper',
    'notify',
    'inbox',
    'agents',
    'hooks',
    'schedule',
    'worktrees',
    'titles',
    'mcp',
    'backups',
  ])
  expect(logged).toHaveLength(called.length)
  expect(logged[0]).toContain('keeper failed.')
})

it('tells every part of a removed session, also after one that fails', () => {
  const { listener, called } = failingParts()
  listener.removed?.('s1')
  expect(called).toEqual(['keeper', 'hooks', 'mcp', 'checkpoints', 'reviews', 'notify', 'notify'])
})
