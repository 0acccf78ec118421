import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { addRefs, checkpointPaths, writeListing } from './capture/checkpoint-files'
import { collectGarbage, type CollectOptions } from './collect-garbage'
import { openBlobStore } from './capture/file-state'

const DAY = 86_400_000
const NOW = Date.now()

async function setUp() {
  const place = checkpointPaths(await tempFolder())
  const blobs = openBlobStore(place.blobs)
  const pathOf = (name: string): string => join(place.blobs, name.slice(0, 2), name.slice(2))
  /** Content last used this many days ago. */
  const content = (text: string, days: number): string => {
    const name = blobs.put(Buffer.from(text))
    age(pathOf(name), days)
    return name
  }
  /** A session that refers to contents and was last used this many days ago. */
  const session = (id: string, names: readonly string[], days: number): void => {
    addRefs(place, id, [], names)
    age(place.refs(id), days)
  }
  const collect = (options: Partial<CollectOptions> = {}) =>
    collectGarbage({
      place,
      exists: () => true,
      isRunning: () => false,
      keepDays: 30,
      maxBytes: 1_000_000,
      now: NOW,
      ...options,
    })
  return { place, blobs, content, session, collect, pathOf }
}

function age(path: string, days: number): void {
  const at = (NOW - days * DAY) / 1_000
  utimesSync(path, at, at)
}

describe('collecting garbage', () => {
  test('removes contents that nothing refers to, but none that may be referred to soon', async () => {
    const { blobs, content, session, collect } = await setUp()
    const [used, unused, fresh] = [content('used', 9), content('unused', 9), content('fresh', 0)]
    session('a', [used], 5)
    expect(await collect()).toEqual({ removed: 1, bytes: 4 })
    expect([used, unused, fresh].map(blobs.has)).toEqual([true, false, true])
  })

  test('keeps content as long as one session refers to it', async () => {
    const { blobs, content, session, collect } = await setUp()
    const shared = content('shared', 90)
    session('old', [shared], 60)
    session('new', [shared, shared], 5)
    await collect()
    expect(blobs.has(shared)).toBe(true)
  })

  test('drops sessions that were removed or not used for long, and what only they refer to', async () => {
    const { place, blobs, content, session, collect } = await setUp()
    const [gone, old] = [content('gone', 40), content('old', 40)]
    session('gone', [gone], 1)
    session('old', [old], 31)
    await collect({ exists: (id) => id !== 'gone' })
    expect([gone, old].map(blobs.has)).toEqual([false, false])
    expect(existsSync(dirname(place.refs('old')))).toBe(false)
  })

  test('keeps everything of a running session, however old and large', async () => {
    const { blobs, content, session, collect } = await setUp()
    const running = content('x'.repeat(500), 90)
    session('running', [running], 90)
    await collect({ isRunning: (id) => id === 'running', maxBytes: 10 })
    expect(blobs.has(running)).toBe(true)
  })

  test('beyond the size limit drops the sessions not used for longest, and no more of them than needed', async () => {
    const { place, blobs, content, session, collect } = await setUp()
    const [first, second, third] = [
      content('a'.repeat(100), 20),
      content('b'.repeat(100), 20),
      content('c'.repeat(100), 20),
    ]
    session('first', [first], 9)
    session('second', [second], 8)
    session('third', [third], 7)
    expect(await collect({ maxBytes: 200 })).toEqual({ removed: 1, bytes: 200 })
    expect([first, second, third].map(blobs.has)).toEqual([false, true, true])
    expect(existsSync(place.refs('first'))).toBe(false)
    expect(existsSync(place.refs('second'))).toBe(true)
  })

  test('beyond the size limit keeps what a session used today needs', async () => {
    const { blobs, content, session, collect } = await setUp()
    const today = content('x'.repeat(100), 20)
    session('today', [today], 0)
    await collect({ maxBytes: 10 })
    expect(blobs.has(today)).toBe(true)
  })

  test('keeps what is needed to undo an interrupted command, in a session that refers to nothing else', async () => {
    const { place, blobs, content, collect } = await setUp()
    const before = content('before', 3)
    const state = { kind: 'file' as const, hash: before, size: 6, mode: 0o644 }
    const listed = { state, ino: 1, size: 6, mtimeMs: 1, ctimeMs: 1, mode: 0o644, bornMs: 1, seenMs: 1 }
    const path = place.openListing('cut-off')
    writeListing(path, { files: new Map([['/p/a', listed]]), complete: true }, { startedMs: 1, roots: ['/p'] })
    age(path, 3)
    await collect()
    expect(existsSync(path)).toBe(true)
    expect(blobs.has(before)).toBe(true)
    await collect({ now: NOW + 60 * DAY })
    expect(existsSync(path)).toBe(false)
  })

  test('keeps the journal of an interrupted restore', async () => {
    const { place, collect } = await setUp()
    const journal = place.restore('cut-off')
    mkdirSync(dirname(journal), { recursive: true })
    writeFileSync(journal, '{}')
    age(journal, 3)
    await collect()
    expect(existsSync(journal)).toBe(true)
  })

  test('removes what an interrupted write left, after a day', async () => {
    const { place, collect } = await setUp()
    mkdirSync(join(place.blobs, 'ab'), { recursive: true })
    const temporary = join(place.blobs, 'ab', '.0123.tmp')
    writeFileSync(temporary, 'half')
    await collect()
    expect(statSync(temporary).size).toBe(4)
    age(temporary, 2)
    await collect()
    expect(existsSync(temporary)).toBe(false)
  })

  test('has nothing to do in a home without checkpoints', async () => {
    const { place, collect } = await setUp()
    rmSync(place.folder, { recursive: true, force: true })
    expect(await collect()).toEqual({ removed: 0, bytes: 0 })
  })
})
