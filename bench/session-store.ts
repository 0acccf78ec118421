import '../test/support/ts-hooks.mjs'
import { median, progress, round, runAlone, type Measurement } from './support/measurement.ts'
import { makeScratch } from './support/scratch.ts'
import { EVENTS_PER_TURN, turn } from './support/turn-events.ts'

const EVENTS = 50_000
const SESSIONS = 3_000
const WINDOW = 400
const RUNS = 5

/**
 * With the store itself: opening a session of 50,000 events (its header and latest window), and listing 3,000 sessions.
 */
export default async function sessionStore(): Promise<Measurement[]> {
  const { openStore } = await import('../src/main/engine/store/open/open-store.ts')
  const scratch = makeScratch()
  const { home, project } = scratch
  try {
    let { store } = openStore({ home })
    store.create({ sessionId: 'large', folder: project, title: 'large', mode: 'auto', addedFolders: [] })
    store.acquire('large')
    const appending = time(() => {
      for (let seq = 1; seq < EVENTS; seq += EVENTS_PER_TURN) store.append('large', turn(seq))
    })
    progress(`  made a session of ${store.header('large')!.seq} events in ${round(appending / 1000, 1)} s`)
    for (let index = 0; index < SESSIONS; index++) {
      const sessionId = `s${index}`
      store.create({
        sessionId,
        folder: `${project}-${index % 20}`,
        title: `session ${index}`,
        mode: 'ask',
        addedFolders: [],
      })
      store.append(sessionId, turn(index))
      store.release(sessionId)
    }
    store.close()
    const [cold, open, window, list]: number[][] = [[], [], [], []]
    for (let run = 0; run < RUNS; run++) {
      cold!.push(time(() => ({ store } = openStore({ home }))))
      open!.push(
        time(() => {
          if (!store.acquire('large').ok) throw new Error('the session is not free')
          const { events } = store.window('large', { limit: WINDOW })
          if (store.header('large')!.seq < EVENTS || events.length === 0) throw new Error('the session is not whole')
        }),
      )
      window!.push(time(() => void store.window('large', { before: EVENTS / 2, limit: WINDOW })))
      list!.push(
        time(() => {
          const { length } = store.list({ limit: 10_000 })
          if (length !== SESSIONS + 1) throw new Error(`${length} sessions are listed`)
        }),
      )
      store.close()
    }
    const note = `median of ${RUNS}`
    return [
      { name: 'open the store', value: round(median(cold!)), unit: 'ms', note },
      {
        name: 'open a session of 50,000 events',
        value: round(median(open!)),
        unit: 'ms',
        limit: 300,
        note: `${note}; header and the latest ${WINDOW} events`,
      },
      { name: 'older window of that session', value: round(median(window!)), unit: 'ms', note },
      { name: 'list 3,000 sessions', value: round(median(list!)), unit: 'ms', note },
      { name: 'append 1,000 events', value: round((appending / EVENTS) * 1000), unit: 'ms', note: 'in turns of 10' },
    ]
  } finally {
    scratch.remove()
  }
}

function time(job: () => void): number {
  const start = performance.now()
  job()
  return performance.now() - start
}

await runAlone(import.meta.main, sessionStore)
