import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError } from '../../../shared/errors'
import type {
  HistoriesCheck,
  HistoryCheck,
  HistoryProblem,
  ReplayOverview,
  ReplayStep,
} from '../../../shared/model/session/history'
import type { HistoryRows, HistoryRow } from '../store/chain/history-rows'
import type { Store } from '../store/store'
import { eventDigest, firstHash, nextHash } from '../store/chain/event-chain'

/** Actions on the recorded histories of sessions: verifying their hashes, and viewing them event by event. */
export interface HistoryActions {
  /** `expect`: a hash noted earlier, which must be in the history. */
  verify(sessionId: string, expect?: string): Promise<HistoryCheck>
  /** All sessions, including those of subagents. */
  verifyAll(): Promise<HistoriesCheck>
  replay(sessionId: string): Promise<ReplayOverview>
  steps(sessionId: string, from: number, limit: number): Promise<ReplayStep[]>
}

export interface VerifyDeps {
  rows: HistoryRows
  store: Pick<Store, 'header'>
}

/** Checks the history of a session against its hashes. `expect`: a hash noted earlier, which must be in it. */
export async function verifyHistory(
  { rows, store }: VerifyDeps,
  sessionId: string,
  expect?: string,
): Promise<HistoryCheck> {
  const header = headerOf(store, sessionId)
  if (!header && !rows.ids().includes(sessionId))
    throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
  const { problem: found, ...walk } = await walkChain(rows, sessionId, {
    nextTurn: () => nextTurn(),
    ...(expect !== undefined && { expect }),
  })
  const problem =
    found ??
    (expect !== undefined && walk.expectedAt === undefined
      ? {
          kind: 'rewritten' as const,
          seq: 1,
          text:
            'No event has the hash that was given: it belongs to another session, ' +
            'or the whole history was rewritten.',
        }
      : undefined)
  return { sessionId, title: header?.title ?? '', ok: problem === undefined, ...walk, ...(problem && { problem }) }
}

/** Checks all sessions. */
export async function verifyHistories(deps: VerifyDeps): Promise<HistoriesCheck> {
  const all: HistoriesCheck = { ok: true, sessions: 0, events: 0, failed: [] }
  for (const sessionId of deps.rows.ids()) {
    let check: HistoryCheck
    try {
      check = await verifyHistory(deps, sessionId)
    } catch (error) {
      // It was deleted while others were checked.
      if (error instanceof CodedError && error.code === 'session.not_found') continue
      throw error
    }
    all.sessions += 1
    all.events += check.events
    if (!check.ok) all.failed.push(check)
  }
  all.ok = all.failed.length === 0
  return all
}

/** Undefined also if it cannot be read: the check then reports what is wrong with the events. */
function headerOf(store: Pick<Store, 'header'>, sessionId: string): { title: string } | undefined {
  try {
    return store.header(sessionId)
  } catch {
    return undefined
  }
}

/** A removal is recognized if at most this many consecutive events are missing. */
const MAX_REMOVED = 200

type Row = ReturnType<HistoryRows['chunk']>[number]

/** The result of walking the chain of a session. */
export interface ChainWalk {
  events: number
  withoutHash: number
  head: string
  expectedAt?: number
  problem?: HistoryProblem
}

/**
 * Walks the chain of a session up to the first problem. `expect`: a hash to search for. `nextTurn` is awaited from time
 * to time, so that a long history doesn't block the process.
 */
export async function walkChain(
  rows: HistoryRows,
  sessionId: string,
  { expect, nextTurn }: { expect?: string; nextTurn(): Promise<void> },
): Promise<ChainWalk> {
  const walk: ChainWalk = { events: 0, withoutHash: 0, head: firstHash(sessionId) }
  const end = rows.end(sessionId)
  if (!end)
    return { ...walk, problem: problem('removed', 1, 'The session is missing; only some of its events are left.') }
  if (expect !== undefined && expect === walk.head) walk.expectedAt = 0
  let isHashed = false
  for (;;) {
    const chunk = rows.chunk(sessionId, walk.events)
    for (const row of chunk) {
      const found = checkRow(rows, sessionId, row, { walk, end, isHashed })
      if (found) return { ...walk, problem: found }
      const stored = row as HistoryRow
      if (stored.hash === null) walk.withoutHash += 1
      else isHashed = true
      walk.head = stored.hash ?? nextHash(walk.head, eventDigest(stored))
      walk.events = stored.seq
      if (walk.head === expect) walk.expectedAt = stored.seq
    }
    if (chunk.length === 0) break
    await nextTurn()
  }
  const problemAtEnd = checkEnd(walk, end)
  if (problemAtEnd) return { ...walk, problem: problemAtEnd }
  const hidden = await countHidden(rows, sessionId, walk.events, nextTurn)
  if (hidden) return { ...walk, problem: hidden }
  return walk
}

interface At {
  walk: ChainWalk
  end: { seq: number; head: string | null }
  /** Whether an earlier event has its own hash. */
  isHashed: boolean
}

/** Checks the next row. */
function checkRow(
  rows: HistoryRows,
  sessionId: string,
  row: Row,
  { walk, end, isHashed }: At,
): HistoryProblem | undefined {
  const n = walk.events + 1
  if (row.place > n)
    return problem(
      'removed',
      n,
      `${eventsText(n, row.place - 1)} ${row.place - 1 > n ? 'are' : 'is'} missing.`,
      row.place - 1,
    )
  if (row.seq === undefined) return problem('removed', n, `Event ${n} is missing.`)
  if (row.place < n) return problem('inserted', row.place, `There are two events with the number ${row.place}.`)
  if (row.seq !== n) return problem('altered', n, `The number of event ${n} was changed to ${row.seq}.`)
  if (n > end.seq) return problem('inserted', n, `Event ${n} was added after the last recorded event, ${end.seq}.`)
  const expected = nextHash(walk.head, eventDigest(row))
  if (row.hash === null)
    return row.mayLackHash && !isHashed ? undefined : classify(rows, sessionId, row, walk.head, end)
  if (row.hash === expected) return undefined
  if (walk.withoutHash > 0 && !isHashed)
    return problem(
      'altered',
      1,
      `${eventsText(1, n)} don't match the hash of event ${n}: at least one of them was changed. ` +
        `Those before event ${n} are from before hashes were recorded, so it cannot be said which.`,
      n,
    )
  return classify(rows, sessionId, row, walk.head, end)
}

/** Determines what happened to a row that does not match the hash before it. */
function classify(rows: HistoryRows, sessionId: string, row: HistoryRow, head: string, end: At['end']): HistoryProblem {
  const n = row.seq
  if (end.head === head) return problem('inserted', n, `Event ${n} was added after the last recorded event.`)
  const owner = ownerOf(rows, sessionId, row, head)
  if (owner) {
    const { place, hash, before } = owner
    const belongs = (seq: number, previous: string): boolean => {
      const made = nextHash(previous, eventDigest({ ...row, seq }))
      return made === row.hash || (seq === place && made === owner.stored)
    }
    return belongs(n + 1, hash) || belongs(place, place === n + 1 ? hash : before)
      ? problem(
          'reordered',
          n,
          `Event ${n} stands at another place: the order was changed up to event ${place}.`,
          place,
        )
      : problem(
          'inserted',
          n,
          `Event ${n} was inserted: what was recorded as event ${n} is now event ${place}.`,
          place - 1,
        )
  }
  const [next] = rows.chunk(sessionId, n)
  if (next?.seq !== undefined && row.hash !== null)
    for (let removed = 1; removed <= MAX_REMOVED; removed += 1)
      if (nextHash(row.hash, eventDigest({ ...next, seq: next.seq + removed })) === next.hash) {
        const to = n + removed - 1
        const are = removed > 1 ? 'were' : 'was'
        return problem('removed', n, `${eventsText(n, to)} ${are} removed, and those after renumbered.`, to)
      }
  return row.hash === null
    ? problem('altered', n, `Event ${n} has no hash: it was changed or inserted.`)
    : problem(
        'altered',
        n,
        `Event ${n} doesn't match its hash: it was changed, or replaced together with event ${Math.max(1, n - 1)}.`,
      )
}

/** The later row that was originally recorded at the position of `row`; `before`: the hash stored right before it. */
function ownerOf(
  rows: HistoryRows,
  sessionId: string,
  row: HistoryRow,
  head: string,
): { place: number; hash: string; stored: string | null; before: string } | undefined {
  let before = row.hash ?? ''
  let after = row.seq
  for (;;) {
    const chunk = rows.chunk(sessionId, after)
    for (const other of chunk) {
      if (other.seq === undefined) continue
      const hash = nextHash(head, eventDigest({ ...other, seq: row.seq }))
      if (hash === other.hash || hash === row.hash) return { place: other.place, hash, stored: other.hash, before }
      before = other.hash ?? ''
    }
    const last = chunk.at(-1)
    if (!last) return undefined
    after = last.place
  }
}

/** Whether the history ends where the session's record says. */
function checkEnd({ events, head }: ChainWalk, end: At['end']): HistoryProblem | undefined {
  if (events < end.seq) {
    const are = end.seq > events + 1 ? 'are' : 'is'
    return problem('removed', events + 1, `${eventsText(events + 1, end.seq)} ${are} missing from the end.`, end.seq)
  }
  if (end.head !== null && end.head !== head)
    return problem(
      'altered',
      events,
      `The history ends with a different hash than was recorded: event ${events} was changed, ` +
        'or events after it were removed.',
    )
  return undefined
}

/** Counts rows of the session that are missing from the index. */
async function countHidden(
  rows: HistoryRows,
  sessionId: string,
  known: number,
  nextTurn: () => Promise<void>,
): Promise<HistoryProblem | undefined> {
  let count = 0
  let from: number | undefined = 0
  while (from !== undefined) {
    const found: { events: number; next?: number } = rows.count(sessionId, from)
    count += found.events
    from = found.next
    await nextTurn()
  }
  // More events were recorded in the meantime.
  if (count <= Math.max(known, rows.end(sessionId)?.seq ?? 0)) return undefined
  return problem('inserted', known + 1, 'The file contains events of this session that are in no index.')
}

function problem(kind: HistoryProblem['kind'], seq: number, text: string, to?: number): HistoryProblem {
  return { kind, seq, ...(to !== undefined && to > seq && { to }), text }
}

function eventsText(from: number, to: number): string {
  return to > from ? `Events ${from} to ${to}` : `Event ${from}`
}
