import { CodedError } from '../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Database } from './database/database'
import { eventDigest, firstHash, nextHash, type ChainedEvent } from './chain/event-chain'
import { createEventLog } from './event-log'
import { createHeaderRows } from './session-rows'
import { removedKey } from './session-writer'
import { createTextIndex } from './text-index'

/** One session received from another place: all its events, in order. */
export interface ReceivedSession {
  sessionId: string
  events: readonly ChainedEvent[]
}

/** What happened to a move here. It is stored, so that the move is never received again. */
export type MoveOutcome = 'received' | 'refused'

/** Sessions received from other places, and the moves seen so far. */
export interface ReceivedSessions {
  /**
   * Adds the missing events, and `last` to every session, in one transaction: subagents' permissions from elsewhere are
   * dropped too. Throws `move.repeated` for a move seen before, and `move.conflict` if the events here are not the
   * start of those received. Returns the new events of the first session.
   */
  receive(move: { moveId: string; sessions: readonly ReceivedSession[]; last: EventBody; at: number }): RecordedEvent[]
  outcome(moveId: string): MoveOutcome | undefined
  /** Records that a move must never be received here. Throws `move.repeated` if it already was. */
  refuse(moveId: string): void
  /** All events of a session as stored, in order, for sending them. */
  events(sessionId: string): Generator<ChainedEvent, void>
  /** The hash of the last event of a session. */
  headOf(sessionId: string): string
  /** A value that is created once and kept with this home. */
  remembered(key: string, make: () => string): string
}

const CHUNK = 64

/** Creates the rows on a migrated database. */
export function createReceivedSessions(db: Database): ReceivedSessions {
  const log = createEventLog(db)
  const headers = createHeaderRows(db, (sessionId) => log.since(sessionId, 0))
  const texts = createTextIndex(db)
  const present = db.prepare<[string], { removed: number; seq: number }>(
    'SELECT removed, seq FROM session WHERE id = ?',
  )
  const hashAt = db
    .prepare<[string, number], string | null>('SELECT hash FROM event WHERE session_id = ? AND seq = ?')
    .pluck()
  const chunk = db.prepare<[string, number, number], ChainedEvent>(
    `SELECT seq, at, type, body FROM event INDEXED BY event_order
     WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const insert = db.prepare<[string, number, number, string, string, string]>(
    'INSERT INTO event (session_id, seq, at, type, body, hash) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const meta = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const setMeta = db.prepare<[string, string]>('INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)')
  const forget = db.prepare<[string]>('DELETE FROM meta WHERE key = ?')

  function* events(sessionId: string): Generator<ChainedEvent, void> {
    for (let after = 0; ;) {
      const rows = chunk.all(sessionId, after, CHUNK)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < CHUNK) return
      after = last.seq
    }
  }

  /** The hash of the last event here. */
  const headOf = (sessionId: string, seq: number): string => {
    const stored = hashAt.get(sessionId, seq)
    if (typeof stored === 'string') return stored
    let head = firstHash(sessionId)
    for (const event of events(sessionId)) head = nextHash(head, eventDigest(event))
    return head
  }

  const add = (
    { sessionId, events: given }: ReceivedSession,
    last: { body: EventBody; at: number },
  ): RecordedEvent[] => {
    const here = present.get(sessionId)
    if (here?.removed === 1)
      throw new CodedError('move.conflict', `The session ${sessionId} is being deleted here. Try again.`)
    const known = here?.seq ?? 0
    const before = here ? headers.get(sessionId) : emptyHeader(sessionId)
    if (!before) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    if (known > given.length)
      throw new CodedError(
        'move.conflict',
        `The session ${sessionId} has ${known} events here, and ${given.length} in the file.`,
      )
    let head = firstHash(sessionId)
    for (const event of given.slice(0, known)) head = nextHash(head, eventDigest(event))
    if (known > 0 && head !== headOf(sessionId, known))
      throw new CodedError(
        'move.conflict',
        `The history of ${sessionId} here is not the beginning of the one in the file.`,
      )
    if (!here) headers.insert(before)
    let header = before
    const added: RecordedEvent[] = []
    const store = (event: ChainedEvent): void => {
      head = nextHash(head, eventDigest(event))
      const body = JSON.parse(event.body) as EventBody
      const { lastInsertRowid } = insert.run(sessionId, event.seq, event.at, event.type, event.body, head)
      texts.add(lastInsertRowid, body)
      const recorded: RecordedEvent = { ...body, sessionId, seq: event.seq, at: event.at }
      header = folded(header, recorded)
      added.push(recorded)
    }
    for (const event of given.slice(known)) store(event)
    store({ seq: header.seq + 1, at: last.at, type: last.body.type, body: JSON.stringify(last.body) })
    headers.save(before, header, head)
    headers.forget(sessionId)
    forget.run(removedKey(sessionId))
    return added
  }

  const receive = db.transaction(({ moveId, sessions, last, at }: Parameters<ReceivedSessions['receive']>[0]) => {
    refuseSeen(moveId)
    setMeta.run(keyOf(moveId), 'received')
    const [root, ...agents] = sessions
    if (!root) throw new CodedError('move.damaged', 'The file has no session.')
    for (const agent of agents) add(agent, { body: last, at })
    return add(root, { body: last, at })
  }).immediate

  const refuseSeen = (moveId: string): void => {
    const seen = meta.get(keyOf(moveId))
    if (seen !== undefined) throw new CodedError('move.repeated', `The move ${moveId} was ${seen} here already.`)
  }

  return {
    receive,
    outcome: (moveId) => meta.get(keyOf(moveId)) as MoveOutcome | undefined,
    refuse: db.transaction((moveId: string) => {
      if (meta.get(keyOf(moveId)) === 'refused') return
      refuseSeen(moveId)
      setMeta.run(keyOf(moveId), 'refused')
    }).immediate,
    events,
    headOf: (sessionId) => headOf(sessionId, present.get(sessionId)?.seq ?? 0),
    remembered: db.transaction((key: string, make: () => string) => {
      setMeta.run(key, make())
      return meta.get(key)!
    }).immediate,
  }
}

/** Data from another machine may be invalid. */
function folded(header: SessionHeader, event: RecordedEvent): SessionHeader {
  try {
    return applyHeader(header, event)
  } catch (error) {
    throw new CodedError('move.damaged', `Event ${event.seq} of ${event.sessionId} is not a valid ${event.type}.`, {
      cause: error,
    })
  }
}

function keyOf(moveId: string): string {
  return `move.${moveId}`
}
