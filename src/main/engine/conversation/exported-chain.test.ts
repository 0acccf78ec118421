import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chainProofs, checkExportedChain } from './exported-chain'

const ID = 'session-1'

/** A history with `count` events, and a file with the included ones. */
function exported(count: number, isIncluded: (seq: number) => boolean) {
  const events = Array.from({ length: count }, (_, at) => ({
    sessionId: ID,
    seq: at + 1,
    at: 1_000 + at,
    type: 'turn.steered',
    text: `größe ${at}`,
  }))
  const chained = events.map(({ sessionId: _session, seq, at, ...body }) => ({
    seq,
    at,
    type: body.type,
    body: JSON.stringify(body),
  }))
  const { proofs, history } = chainProofs(ID, chained, isIncluded)
  const values = events
    .filter(({ seq }) => isIncluded(seq))
    .map(({ sessionId: _session, ...event }) => ({ ...event, chain: proofs.get(event.seq) }))
  return { values, history }
}

const CHANGED = expect.objectContaining({ code: 'history.changed' })

describe('the proofs in an exported file', () => {
  test('hold for any selection of events', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (chosen) => {
        const { values, history } = exported(chosen.length, (seq) => chosen[seq - 1]!)
        expect(checkExportedChain(ID, values, history)).toBe(history.head)
        expect(() => checkExportedChain('session-2', values, history)).toThrow(CHANGED)
      }),
      { numRuns: 60, seed: 14 },
    )
  })

  test('fail for any event that was changed, removed, duplicated or moved', () => {
    const { values, history } = exported(6, (seq) => seq !== 2 && seq !== 5)
    const check =
      (now: readonly unknown[], about: unknown = history) =>
      () =>
        checkExportedChain(ID, now, about)
    expect(check(values)()).toBeDefined()
    for (const at of values.keys()) {
      const event = values[at]!
      expect(check(values.with(at, { ...event, text: 'other' }))).toThrow(CHANGED)
      expect(check(values.with(at, { ...event, at: event.at + 1 }))).toThrow(CHANGED)
      expect(check(values.with(at, { ...event, chain: undefined }))).toThrow(CHANGED)
      expect(check(values.toSpliced(at, 1))).toThrow(CHANGED)
      expect(check(values.toSpliced(at, 0, event))).toThrow(CHANGED)
    }
    expect(check(values.toReversed())).toThrow(CHANGED)
    expect(check(values, { ...history, events: 7 })).toThrow(CHANGED)
    expect(check(values, { ...history, head: '0'.repeat(64) })).toThrow(CHANGED)
    expect(check(values, 'nothing')).toThrow(CHANGED)
  })

  test('show which events are missing', () => {
    const { values, history } = exported(6, () => true)
    const check = (now: readonly unknown[]) => () => checkExportedChain(ID, now, history)
    expect(check(values.toSpliced(2, 1))).toThrow('Event 3 is missing.')
    expect(check(values.toSpliced(1, 3))).toThrow('Events 2 to 4 are missing.')
    expect(check(values.slice(0, 5))).toThrow('Event 6 is missing.')
    expect(check(values.slice(0, 3))).toThrow('Events 4 to 6 are missing.')
  })

  test('are not required in a file without any', () => {
    expect(checkExportedChain(undefined, [{ seq: 1, at: 1, type: 'x' }], undefined)).toBeUndefined()
  })
})
