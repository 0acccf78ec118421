import { expect, test } from 'vitest'
import type { RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import { familyPrefix } from '../../../shared/model/session/agent'
import type { Store } from '../store/store'
import { placedChanges } from './moved-paths'

const root = 'session-1'
const child = `${familyPrefix(root)}1`

/** The history of a session that was sealed when its subagent had recorded two events, and received elsewhere. */
function movedSession(times: { sealedAt: number; receivedAt: number }) {
  const events: RecordedEvent[] = [
    {
      type: 'session.sealed',
      sessionId: root,
      seq: 8,
      at: times.sealedAt,
      moveId: 'move-1',
      epoch: 1,
      to: 'home-2',
      agents: [{ sessionId: child, seq: 2, hash: '' }],
      contents: '',
    },
    {
      type: 'session.received',
      sessionId: root,
      seq: 9,
      at: times.receivedAt,
      moveId: 'move-1',
      epoch: 2,
      from: 'home-1',
      folder: '/here',
      mode: 'ask',
      moved: [{ from: '/there', to: '/here' }],
    },
  ]
  const header = events.reduce(applyHeader, emptyHeader(root))
  const store: Pick<Store, 'header' | 'ofTypes'> = {
    header: (id) => (id === root ? header : undefined),
    ofTypes: ((id, types: readonly string[]) =>
      events.filter(({ type, sessionId }) => sessionId === id && types.includes(type))) as Store['ofTypes'],
  }
  const place = placedChanges(store, root)
  const absent = { kind: 'absent' as const }
  return (sessionId: string, seq: number) =>
    place({ sessionId, seq }, [{ path: '/there/a', before: absent, after: absent }]).map(({ path }) => path)
}

test.each([
  ['ahead', { sealedAt: 1_000, receivedAt: 90_000 }],
  ['behind', { sealedAt: 90_000, receivedAt: 1_000 }],
])('changes recorded before a move are found in the new folder, with the clock there %s', (_clock, times) => {
  const pathOf = movedSession(times)
  expect(pathOf(root, 7)).toEqual(['/here/a'])
  expect(pathOf(root, 10)).toEqual(['/there/a'])
  expect([pathOf(child, 1), pathOf(child, 2)]).toEqual([['/here/a'], ['/here/a']])
  expect(pathOf(child, 3)).toEqual(['/there/a'])
  // A subagent that was started after the move.
  expect(pathOf(`${familyPrefix(root)}2`, 1)).toEqual(['/there/a'])
})
