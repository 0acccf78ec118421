import { expect, it } from 'vitest'
import { emptyHeader } from '../../../shared/events/fold-header'
import type { EventBody, RecordedEvent, SessionEvent } from '../../../shared/events/event'
import { SessionLog } from './session-log'

it('tells all listeners of recorded and live events when one of them fails', () => {
  const logged: string[] = []
  const heard: SessionEvent['type'][] = []
  const recorded: string[] = []
  const append = (_id: string, bodies: readonly EventBody[]): RecordedEvent[] =>
    bodies.map((body, at) => ({ ...body, seq: at + 1, at: 0 }) as RecordedEvent)
  const log = new SessionLog(emptyHeader('s1'), {
    store: { append, hold: append },
    onRecorded: (_before, events) => recorded.push(...events.map(({ type }) => type)),
    log: (message) => logged.push(message),
  })
  log.listen(() => {
    throw new Error('The window is gone.')
  })
  log.listen(({ type }) => heard.push(type))
  log.record({ type: 'turn.started', turnId: 't1', parts: [], model: 'm' }, { type: 'session.changed', title: 'Two' })
  log.live({ type: 'text.delta', stepId: 's', text: 'x' })
  expect(heard).toEqual(['turn.started', 'session.changed', 'text.delta'])
  expect(log.header).toMatchObject({ turnId: 't1', title: 'Two' })
  expect(recorded).toEqual(['turn.started', 'session.changed'])
  expect(logged).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('The window is gone.')))
})
