import { expect, it } from 'vitest'
import { storeDatabase } from '../../../../test/support/store-database'
import { emptyHeader } from '../../../shared/events/fold-header'
import { createKeptTurnRows } from '../store/rows/kept-turn-rows'
import { createKeptTurns } from './kept-turns'

/** Two open turns that another process has left; `continued`: the sessions whose turns continue here. */
async function left() {
  const rows = createKeptTurnRows(await storeDatabase())
  for (const sessionId of ['s1', 's2']) rows.put({ sessionId, crashes: 0, left: true })
  const continued: string[] = []
  const turns = createKeptTurns({
    rows,
    header: (sessionId) => ({ ...emptyHeader(sessionId), turnId: 't1' }),
    sessions: {
      withSession: async (sessionId) => {
        continued.push(sessionId)
        return undefined as never
      },
      handOver: async () => undefined,
      unattended: {} as never,
    },
    notify() {},
  })
  return { turns, rows, continued }
}

it('continues the turns that another process has left', async () => {
  const { turns, continued } = await left()
  await turns.continueOpen()
  expect(continued).toEqual(['s1', 's2'])
})

it('continues no turn once they were handed over to the next engine, not even one it was about to', async () => {
  const { turns, rows, continued } = await left()
  const continuing = turns.continueOpen()
  await turns.handOver(new AbortController().signal)
  await continuing
  await turns.continueOpen()
  expect(continued).toEqual(['s1'])
  expect(rows.all().map(({ sessionId }) => sessionId)).toEqual(['s1', 's2'])
})
