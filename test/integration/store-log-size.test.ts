import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openReadOnly } from '../../src/main/engine/store/database/database'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { Store } from '../../src/main/engine/store/store'
import type { EventBody } from '../../src/shared/events/event'

/** Maximum size of the log without a long-running reader, and again after one has finished. */
const MAX_BYTES = 17 * 1024 * 1024

let home: string
let file: string
let store: Store

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-log-size-'))
  file = join(home, 'trestle.db')
  store = openStore({ home }).store
  store.create({ sessionId: 's', folder: '/project', title: 'T', mode: 'ask', addedFolders: [] })
})
afterEach(() => {
  store.close()
  rmSync(home, { recursive: true, force: true })
})

const logBytes = (): number => statSync(`${file}-wal`).size
const step = (n: number): EventBody => ({
  type: 'step.finished',
  turnId: 't',
  stepId: `s${n}`,
  parts: [{ type: 'text', text: `${n} ${'word '.repeat(600)}` }],
  finish: 'stop',
  durationMs: 1,
})
function write(count: number): number {
  let most = 0
  for (let n = 0; n < count; n += 1) {
    store.append('s', [step(n)])
    most = Math.max(most, logBytes())
  }
  return most
}

test('the log stays small however much is written, so later readers stay fast', { timeout: 180_000 }, () => {
  expect(write(1500)).toBeLessThan(MAX_BYTES)
  expect(statSync(file).size).toBeGreaterThan(2_000_000)
})

test('a log that grew during a long read shrinks with the next writes', { timeout: 180_000 }, () => {
  const reader = openReadOnly(file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM event').get()
  while (logBytes() < 1.5 * MAX_BYTES) write(50)
  reader.exec('COMMIT')
  reader.close()
  write(20)
  expect(logBytes()).toBeLessThan(MAX_BYTES)
})

test('reading and searching a session write neither to the file nor to its log', { timeout: 180_000 }, () => {
  write(300)
  const before = [readFileSync(file), readFileSync(`${file}-wal`)]
  expect(store.since('s', 0)).toHaveLength(301)
  store.window('s', { limit: 100 })
  store.ofTypes('s', ['turn.started'])
  expect([...store.historyBackwards('s')]).toHaveLength(300)
  store.search('word')
  store.list()
  expect([readFileSync(file), readFileSync(`${file}-wal`)].map((now, n) => now.equals(before[n]!))).toEqual([
    true,
    true,
  ])
})
