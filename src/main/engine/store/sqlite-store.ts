import { writeFileSync } from 'node:fs'
import { visibleRanges } from '../../../shared/model/session/checkpoint'
import { CodedError } from '../../../shared/errors'
import type { Store } from './store'
import { sqliteCode, type Database } from './database/database'
import { createEventLog } from './event-log'
import { createHeaderRows, createSessionList } from './session-rows'
import type { Leases } from './lease'
import { createSessionWriter } from './session-writer'
import { storeError, isDamage, suspectMarker } from './database/store-error'
import { createSpendingRows } from './rows/spending-rows'
import { createTextIndex } from './text-index'

/** The store on an open, migrated database. Use `openStore` to get one. */
export function createSqliteStore(
  db: Database,
  deps: { home: string; leases: Leases; now: () => number },
): Omit<Store, 'hold'> {
  const { home, leases, now } = deps
  /** Converts failures of disk and file to CodedErrors; after damage, it makes the next start check the file. */
  const failure = (error: unknown): unknown => {
    if (isDamage(error)) markSuspect(home)
    return storeError(error, home)
  }
  const guard = <A extends unknown[], R>(run: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      try {
        return run(...args)
      } catch (error) {
        throw failure(error)
      }
    }
  }

  const log = createEventLog(db)
  const texts = createTextIndex(db)
  const headers = createHeaderRows(db, (sessionId) => log.since(sessionId, 0))
  const writer = createSessionWriter(db, { headers, leases, texts, spending: createSpendingRows(db), now })
  const list = createSessionList(db, leases)
  const acquire = db.transaction((sessionId: string) => {
    if (!headers.get(sessionId)) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return leases.take(sessionId)
  }).immediate
  /** The visible ranges of the conversation; `upTo`: as of right after that event. */
  const rangesOf = (sessionId: string, upTo?: number): ReturnType<typeof visibleRanges> => {
    const header = headers.get(sessionId)
    return header ? visibleRanges(header.cuts ?? [], Math.min(header.seq, upTo ?? header.seq)) : []
  }
  /**
   * Returns a check whether a restore removed an event from its conversation; caches ranges per session for one search.
   */
  const leftOut = (): ((sessionId: string, seq: number) => boolean) => {
    const known = new Map<string, ReturnType<typeof visibleRanges>>()
    return (sessionId, seq) => {
      const ranges = known.get(sessionId) ?? rangesOf(sessionId)
      known.set(sessionId, ranges)
      return !ranges.some(({ from, to }) => seq >= from && seq <= to)
    }
  }
  writer.finishRemovals()

  return {
    append: guard(writer.append),
    create: guard(writer.create),
    header: guard(headers.get),
    list: guard(list.list),
    since: guard(log.since),
    window: guard((sessionId, options) => log.window(sessionId, rangesOf(sessionId), options)),
    ofTypes: guard((sessionId, types, since = 0) => log.ofTypes(sessionId, types, since)) as Store['ofTypes'],
    *historyBackwards(sessionId, upTo) {
      try {
        yield* log.historyBackwards(sessionId, rangesOf(sessionId, upTo))
      } catch (error) {
        throw failure(error)
      }
    },
    search: guard((query, limit = 30, sessionId) => texts.search(query, limit, leftOut(), sessionId)),
    acquire: guard(acquire),
    release: guard((sessionId) => {
      headers.forget(sessionId)
      leases.release(sessionId)
    }),
    interrupted: guard(list.interrupted),
    waiting: guard(list.waiting),
    owedNews: guard(list.owedNews),
    agents: guard((filter) => list.agents(filter).flatMap((sessionId) => headers.get(sessionId) ?? [])),
    remove: guard(writer.remove),
    close() {
      if (!db.open) return
      try {
        leases.close()
      } catch (error) {
        // A full disk, for example. Nothing recorded is lost: the next start finds a dead process and checks the file.
        if (sqliteCode(error) === undefined) throw error
      }
      db.close()
    },
  }
}

function markSuspect(home: string): void {
  try {
    writeFileSync(suspectMarker(home), '')
  } catch {
    // The failure itself is reported anyway; without the marker, the daily check finds the damage.
  }
}
