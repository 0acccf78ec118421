import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../src/main/engine/store/open/open-store'
import type { EventBody, RecordedEvent } from '../../src/shared/events/event'
import { runTs } from '../support/run-ts'
import { sampled } from '../support/sampled'

const SESSIONS = 40
const EVENTS = 30
const PAGE = 4096

/** A home with a store of many sessions, after a clean exit and after a kill; created once. */
let made: string
let home: string
let file: string
let all: Map<string, RecordedEvent[]>
let inOnePlace: Set<RecordedEvent>

const sessionIds = (): string[] => Array.from({ length: SESSIONS }, (_, n) => `s${n}`)
const turn = (text: string): EventBody => ({
  type: 'turn.started',
  turnId: 't',
  parts: [{ type: 'text', text }],
  model: 'a/b',
})

function eventsOf(at: string): Map<string, RecordedEvent[]> {
  const { store } = openStore({ home: at })
  try {
    return new Map(store.list().map(({ sessionId }) => [sessionId, store.since(sessionId, 0)]))
  } finally {
    store.close()
  }
}

beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'trestle-damage-'))
  const { store } = openStore({ home: made })
  for (const sessionId of sessionIds())
    store.create({ sessionId, folder: '/project', title: sessionId, mode: 'ask', addedFolders: [] })
  // Interleaved, so that every part of the file contains events of many sessions.
  for (let n = 0; n < EVENTS; n += 1)
    for (const sessionId of sessionIds())
      store.append(sessionId, [turn(`message ${n} of ${sessionId} ${'text '.repeat((n * 7) % 90)}`)])
  store.append('s3', [turn(`long ${'words '.repeat(20_000)}`)])
  store.close()
  all = eventsOf(made)
  // Rows that were moved to another page leave copies behind, which do not count.
  const bytes = readFileSync(join(made, 'trestle.db'))
  const isOnce = (event: RecordedEvent): boolean => bytes.indexOf(jsonOf(event)) === bytes.lastIndexOf(jsonOf(event))
  inOnePlace = new Set([...all.values()].flat().filter((event) => !isLong(event) && isOnce(event)))
})
afterAll(() => rmSync(made, { recursive: true, force: true }))
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-damaged-'))
  file = join(home, 'trestle.db')
  copyFileSync(join(made, 'trestle.db'), file)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function overwrite(offset: number, bytes: Buffer): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, bytes.length, offset)
  closeSync(fd)
}

/** The events whose text is still in the file in one piece, except those in several places or spread over pages. */
function stillThere(): Set<RecordedEvent> {
  const bytes = readFileSync(file)
  return new Set([...inOnePlace].filter((event) => bytes.includes(jsonOf(event))))
}
const jsonOf = (event: RecordedEvent): string => JSON.stringify(bodyOf(event))
const isLong = (event: RecordedEvent): boolean => JSON.stringify(event).length > PAGE
const bodyOf = ({ sessionId: _id, seq: _seq, at: _at, ...body }: RecordedEvent): EventBody => body

/** Opens the damaged store, reads all its content, and returns its notices. */
function recover(): { notices: string[]; events: Map<string, RecordedEvent[]>; count: number } {
  const { store, notices } = openStore({ home })
  try {
    const events = new Map(store.list().map(({ sessionId }) => [sessionId, store.since(sessionId, 0)]))
    for (const [sessionId, found] of events) {
      store.window(sessionId, { limit: 100 })
      expect([...store.historyBackwards(sessionId)].length).toBeGreaterThanOrEqual(0)
      expect(store.header(sessionId)).toMatchObject({ sessionId, seq: found.at(-1)!.seq })
      store.acquire(sessionId)
      expect(store.append(sessionId, [turn('and it continues')])[0]?.seq).toBe(found.at(-1)!.seq + 1)
    }
    const count = [...events.values()].reduce((sum, found) => sum + found.length, 0)
    return { notices, events, count }
  } finally {
    store.close()
  }
}

interface Recovery {
  /** Events that are still in the file but were not recovered, and vice versa. */
  missing: string[]
  surplus: string[]
  notices: string[]
  /** Whether the notice has the correct numbers of recovered events and, with `isLossKnown`, of lost ones. */
  isCounted: boolean
  /** The notices of the next start. */
  next: string[]
}

function recovery(readable: Set<RecordedEvent>, { isLossKnown = false } = {}): Recovery {
  const { notices, events } = recover()
  const found = new Set([...events.values()].flat().map((event) => JSON.stringify(event)))
  const named = (wanted: (event: RecordedEvent, isFound: boolean) => boolean): string[] =>
    [...inOnePlace]
      .filter((event) => wanted(event, found.has(JSON.stringify(event))))
      .map(({ sessionId, seq }) => `${sessionId} ${seq}`)
  const number = (pattern: RegExp): number => Number(pattern.exec(notices[0] ?? '')?.[1]?.replaceAll(',', '') ?? 0)
  const sessions = number(/([\d,]+) sessions? with/)
  const counted = number(/with ([\d,]+) events?/) + number(/Lost: .*?([\d,]+) events?\./)
  const total = [...all.values()].reduce((sum, list) => sum + list.length, 0)
  return {
    missing: named((event, isFound) => readable.has(event) && !isFound),
    surplus: named((event, isFound) => !readable.has(event) && isFound),
    notices,
    isCounted: sessions === events.size && (isLossKnown ? counted === total : counted <= total),
    next: openAgain(),
  }
}

const COMPLETE: Recovery = {
  missing: [],
  surplus: [],
  notices: [expect.stringMatching(/was damaged \(.+\)\..* (recovered|empty store).*The damaged file is kept as /)],
  isCounted: true,
  next: [],
}

function openAgain(): string[] {
  const { store, notices } = openStore({ home })
  store.close()
  return notices
}

const PLACES = Array.from({ length: 20 }, (_, n) => n)

describe('every readable event of a damaged store is recovered, and the loss is counted', () => {
  test.each(sampled(PLACES, 3))('with a page overwritten at place %i of 20', (n) => {
    const pages = Math.floor(statSync(file).size / PAGE)
    overwrite(Math.floor((n * (pages - 1)) / 19) * PAGE, Buffer.alloc(PAGE, n % 2 === 0 ? 0xa5 : 'text'))
    expect(recovery(stillThere(), { isLossKnown: true })).toEqual(COMPLETE)
  })

  test.each(sampled(PLACES.slice(0, 10), 3))('with the file cut at place %i of 10', (n) => {
    truncateSync(file, Math.floor((statSync(file).size * (n + 0.5)) / 10) + n)
    expect(recovery(stillThere())).toEqual(COMPLETE)
  })

  test('with every second page overwritten', () => {
    for (let page = 0; page < statSync(file).size / PAGE; page += 2) overwrite(page * PAGE, Buffer.alloc(PAGE, 0x5a))
    expect(recovery(stillThere())).toEqual(COMPLETE)
  })

  test('with its whole first tenth overwritten at odd places', () => {
    overwrite(1000, Buffer.alloc(Math.floor(statSync(file).size / 10), 'x'))
    expect(recovery(stillThere())).toEqual(COMPLETE)
  })

  test.each(['garbage', ''])('reports a file that contains only %j as unreadable', (garbage) => {
    const size = statSync(file).size
    truncateSync(file, 0)
    if (garbage !== '') overwrite(0, Buffer.alloc(size, garbage))
    const { notices, events } = recover()
    expect(events.size).toBe(0)
    expect(notices).toEqual([
      expect.stringMatching(
        /damaged .*empty store, since no session could be read and there was no usable backup\. .* kept as/,
      ),
    ])
  })
})

describe('a damaged write-ahead log', () => {
  let acknowledged: number

  /** A home after a kill: the latest events are only in the log. */
  beforeEach(async () => {
    openStore({ home }).store.close()
    // Few enough that the log is not written back to the file.
    const writer = runTs('./store-writer.ts', [home, 'late', '60', 'stay'])
    await writer.line('written')
    await writer.kill()
    acknowledged = Number(writer.lines.findLast((line) => line.startsWith('ack '))?.slice(4))
    if (statSync(`${file}-wal`).size < 20 * PAGE) throw new Error('There is hardly anything in the log.')
  })

  const late = (events: Map<string, RecordedEvent[]>): number => events.get('late')?.length ?? 0
  const byId = ([a]: [string, unknown], [b]: [string, unknown]): number => a.localeCompare(b)
  const oldOnes = (events: Map<string, RecordedEvent[]>): unknown[] =>
    [...events].filter(([id]) => id !== 'late').toSorted(byId)
  const everything = (): unknown[] => [...all].toSorted(byId)
  const log = (offset: number, bytes: Buffer): void => {
    const fd = openSync(`${file}-wal`, 'r+')
    writeSync(fd, bytes, 0, bytes.length, offset)
    closeSync(fd)
  }

  test('needs no recovery and loses nothing when intact', () => {
    const { notices, events } = recover()
    expect(notices).toEqual([])
    expect(late(events)).toBeGreaterThanOrEqual(acknowledged)
  })

  test("is reported when missing, and the file's events stay", () => {
    rmSync(`${file}-wal`)
    const { notices, events } = recover()
    expect(notices).toEqual([
      expect.stringMatching(/its log is missing, which held \d+ pages.* 40 sessions with 1,241 events were recovered/),
    ])
    expect(oldOnes(events)).toEqual(everything())
  })

  test('is reported when truncated, and events before the cut stay', () => {
    truncateSync(`${file}-wal`, Math.floor(statSync(`${file}-wal`).size / 2))
    const { notices, events } = recover()
    expect(notices).toEqual([expect.stringMatching(/its log was cut after \d+ of \d+ pages.* 41 sessions/)])
    expect(oldOnes(events)).toEqual(everything())
    expect(late(events)).toBeGreaterThan(acknowledged / 10)
  })

  test('is reported and kept when it is garbage', () => {
    log(0, Buffer.alloc(statSync(`${file}-wal`).size, 'garbage'))
    const garbage = readFileSync(`${file}-wal`)
    const { notices, events } = recover()
    expect(notices).toEqual([expect.stringMatching(/its log: it does not begin like a log.* 40 sessions/)])
    expect(oldOnes(events)).toEqual(everything())
    const kept = readdirSync(home).find((name) => /damaged-.*-wal$/.test(name))
    expect(readFileSync(join(home, kept!)).equals(garbage)).toBe(true)
  })

  test('with one bad page in its middle still returns the events after that page', () => {
    const frames = Math.floor((statSync(`${file}-wal`).size - 32) / (PAGE + 24))
    log(32 + Math.floor(frames / 2) * (PAGE + 24) + 200, Buffer.alloc(1000, 0x11))
    const { notices, events } = recover()
    expect(notices).toEqual([expect.stringMatching(/its log: frame \d+ is damaged.* 41 sessions/)])
    expect(oldOnes(events)).toEqual(everything())
    expect(late(events)).toBeGreaterThanOrEqual(acknowledged)
  })

  test('returns its events even if the database file is empty', () => {
    truncateSync(file, 0)
    const { notices, events } = recover()
    expect(notices).toEqual([expect.stringMatching(/the file is empty.* sessions? with/)])
    expect(late(events)).toBeGreaterThan(acknowledged / 2)
  })
})
