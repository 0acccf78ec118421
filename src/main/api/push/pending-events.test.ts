import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRecorded, type LiveEvent, type RecordedEvent, type SessionEvent } from '../../../shared/events/event'
import { estimateJsonBytes, PendingEvents } from './pending-events'

const sessionId = 'session-1'
const text = (piece: string, stepId = 'step-1'): LiveEvent => ({ type: 'text.delta', sessionId, stepId, text: piece })
const thinking = (piece: string): LiveEvent => ({ type: 'thinking.delta', sessionId, stepId: 'step-1', text: piece })
const draft = (chars: number, subject?: string): LiveEvent => ({
  type: 'tool.drafting',
  sessionId,
  stepId: 'step-1',
  callId: 'call-1',
  name: 'Bash',
  chars,
  ...(subject !== undefined && { subject }),
})
const recorded = (seq: number): RecordedEvent =>
  ({ type: 'turn.started', sessionId, seq, at: seq, turnId: `turn-${seq}` }) as unknown as RecordedEvent

function pending(...events: SessionEvent[]): PendingEvents {
  const all = new PendingEvents()
  for (const event of events) all.add(event)
  return all
}
const everything = (all: PendingEvents): SessionEvent[] => all.take(Infinity, Infinity)

test('merges adjacent text of a step, and thinking separately', () => {
  const all = pending(text('a'), text('b'), thinking('c'), thinking('d'), text('e'))
  expect(everything(all)).toEqual([text('ab'), thinking('cd'), text('e')])
})

test('keeps only the newest draft of a call, with its subject', () => {
  expect(everything(pending(draft(1, 'ls'), draft(2), draft(3)))).toEqual([draft(3, 'ls')])
})

test('does not merge across a recorded event', () => {
  expect(everything(pending(text('a'), recorded(1), text('b')))).toEqual([text('a'), recorded(1), text('b')])
})

test('does not change the events it receives', () => {
  const first = text('a')
  everything(pending(first, text('b')))
  expect(first).toEqual(text('a'))
})

test('returns at least one event, however large, and then only as many as fit', () => {
  const all = pending(recorded(1), recorded(2), recorded(3))
  expect(all.take(Infinity, 0)).toEqual([recorded(1)])
  expect(all.take(1, Infinity)).toEqual([recorded(2)])
  expect(all.recordedCount).toBe(1)
})

test('does not append to an event that was already returned', () => {
  const all = pending(text('a'))
  expect(everything(all)).toEqual([text('a')])
  all.add(text('b'))
  expect(everything(all)).toEqual([text('b')])
})

test('drops live events and keeps the recorded ones', () => {
  const all = pending(text('a'), recorded(1), text('b'))
  all.dropLive()
  all.add(text('c'))
  expect(everything(all)).toEqual([recorded(1), text('c')])
})

const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    event: fc.oneof(
      fc.string().map((s) => text(s)),
      fc.string().map(thinking),
      fc.nat(9).map((n) => draft(n)),
    ),
  }),
  fc.record({ do: fc.constant('record' as const) }),
  fc.record({ do: fc.constant('take' as const), count: fc.nat(3), bytes: fc.nat(300) }),
)

test('loses no text and no recorded event, in order, however it is read', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const all = new PendingEvents()
      const [added, taken]: [SessionEvent[], SessionEvent[]] = [[], []]
      for (const [index, one] of steps.entries()) {
        if (one.do === 'take') taken.push(...all.take(one.count, one.bytes))
        else {
          const event = one.do === 'add' ? one.event : recorded(index)
          added.push(event)
          all.add({ ...event })
        }
        expect(all.recordedCount).toBe(added.filter(isRecorded).length - taken.filter(isRecorded).length)
      }
      taken.push(...everything(all))
      expect([all.count, all.bytes, all.recordedCount]).toEqual([0, 0, 0])
      expect(story(taken)).toBe(story(added))
    }),
  )
})

/** What a reader sees: texts of one kind joined, and recorded events, in order. */
function story(events: readonly SessionEvent[]): string {
  return events
    .map((event) => (event.type === 'text.delta' ? event.text : isRecorded(event) ? `[${event.seq}]` : ''))
    .join('')
}

test('estimates the size of JSON without building it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(estimateJsonBytes(value)).toBeGreaterThanOrEqual(2)
    }),
  )
  const event = recorded(1)
  expect(estimateJsonBytes(event)).toBeGreaterThan(JSON.stringify(event).length / 2)
})
