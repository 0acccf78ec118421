/**
 * A process that writes to a store. `store-writer.ts HOME SESSION [COUNT]`: creates or takes over the session, appends
 * in a loop and prints `ack <seq>` after each successful append; exits after COUNT appends. A fourth argument: `hold`
 * takes over the session and only waits, `stay` waits after COUNT appends with the store open.
 */
import { writeSync } from 'node:fs'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody } from '../../src/shared/events/event'

const [home = '', sessionId = '', count = 'Infinity', mode = 'write'] = process.argv.slice(2)
const { store } = openStore({ home })
if (!store.header(sessionId))
  store.create({ sessionId, folder: '/project', title: sessionId, mode: 'ask', addedFolders: [] })
const lease = store.acquire(sessionId)
if (!lease.ok) {
  writeSync(1, `elsewhere ${lease.where}\n`)
  process.exit(3)
}
const turnId = `turn-${process.pid}`
store.append(sessionId, [
  { type: 'turn.started', turnId, parts: [{ type: 'text', text: 'continue' }], model: 'local/scripted' },
])
writeSync(1, 'ready\n')

const wait = (): unknown => setInterval(() => undefined, 1000)
if (mode === 'hold') wait()
else {
  let slowest = 0
  for (let n = 0; n < Number(count); n += 1) {
    const began = performance.now()
    const bodies: EventBody[] = [
      { type: 'step.started', turnId, stepId: `s${n}`, n, model: 'local/scripted' },
      {
        type: 'step.finished',
        turnId,
        stepId: `s${n}`,
        parts: [{ type: 'text', text: `answer ${n} ${'word '.repeat(n % 300)}` }],
        finish: 'stop',
        durationMs: 1,
      },
    ]
    const events = store.append(sessionId, n % 3 === 0 ? bodies : bodies.slice(n % 2, (n % 2) + 1))
    slowest = Math.max(slowest, performance.now() - began)
    writeSync(1, `ack ${events.at(-1)?.seq}\n`)
  }
  if (mode === 'stay') {
    writeSync(1, 'written\n')
    wait()
  } else {
    store.append(sessionId, [{ type: 'turn.finished', turnId, stop: 'end_turn', steps: 1, durationMs: 1 }])
    store.close()
    writeSync(1, `slowest ${slowest.toFixed(2)}\n`)
  }
}
