import { CodedError } from '../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import { applyHeader, emptyHeader } from '../../../shared/events/fold-header'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { SpendingRows } from './rows/spending-rows'
import type { AppendOptions, Store } from './store'
import { createChainHeads } from './chain/chain-rows'
import type { Database } from './database/database'
import { eventDigest, nextHash } from './chain/event-chain'
import type { HeaderRows } from './session-rows'
import type { Leases } from './lease'
import type { TextIndex } from './text-index'

/**
 * Removed sessions are deleted in transactions of this many events, so that other processes are not blocked for long.
 */
const REMOVE_CHUNK = 1000

export interface SessionWriter extends Pick<Store, 'append' | 'create' | 'remove'> {
  /** Completes removals that a dead process left unfinished. */
  finishRemovals(): void
}

export function createSessionWriter(
  db: Database,
  deps: {
    headers: HeaderRows
    leases: Leases
    texts: TextIndex
    spending: Pick<SpendingRows, 'add'>
    now: () => number
  },
): SessionWriter {
  const { headers, leases, texts, spending, now } = deps
  const insertEvent = db.prepare<[string, number, number, string, string, string]>(
    'INSERT INTO event (session_id, seq, at, type, body, hash) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const heads = createChainHeads(db)
  const hide = db.prepare<[string]>('UPDATE session SET removed = 1 WHERE id = ?')
  const remember = db.prepare<[string, string]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)')
  const oldest = 'SELECT id FROM event WHERE session_id = @id ORDER BY seq LIMIT @limit'
  const removeTexts = db.prepare<[{ id: string; limit: number }]>(`DELETE FROM search WHERE rowid IN (${oldest})`)
  const removeEvents = db.prepare<[{ id: string; limit: number }]>(`DELETE FROM event WHERE id IN (${oldest})`)
  const removeSession = db.prepare<[string]>('DELETE FROM session WHERE id = ?')
  const removed = db.prepare<[], string>('SELECT id FROM session WHERE removed = 1').pluck()

  const refuseElsewhere = (sessionId: string): void => {
    const where = leases.elsewhere(sessionId)
    if (where !== undefined) throw new CodedError('session.elsewhere', `Session ${sessionId} runs in ${where}.`)
  }

  /** A sealed session and its subagents accept only the end of the seal. */
  const refuseSealed = (header: SessionHeader, bodies: readonly EventBody[]): void => {
    const sealed = header.sealed ?? (header.agent && headers.get(header.agent.rootId)?.sealed)
    if (!sealed || bodies.every(({ type }) => type === 'session.unsealed')) return
    const place = sealed.place ?? sealed.to
    throw new CodedError('session.sealed', `Session ${header.sessionId} was moved to ${place}.`)
  }

  const write = (
    header: SessionHeader,
    bodies: readonly EventBody[],
    { copied = false, times }: AppendOptions = {},
  ): { events: RecordedEvent[]; header: SessionHeader } => {
    refuseSealed(header, bodies)
    const present = now()
    let next = header
    let head = heads.get(header.sessionId)
    const events = bodies.map((body, index) => {
      const at = times?.[index] ?? present
      const event: RecordedEvent = { ...body, sessionId: header.sessionId, seq: next.seq + 1, at }
      const text = JSON.stringify(body)
      head = nextHash(head, eventDigest({ seq: event.seq, at, type: body.type, body: text }))
      const { lastInsertRowid } = insertEvent.run(event.sessionId, event.seq, at, body.type, text, head)
      texts.add(lastInsertRowid, body)
      next = applyHeader(next, event)
      if (!copied) spending.add(next, event)
      return event
    })
    headers.save(header, next, head)
    return { events, header: next }
  }

  const append = db.transaction((sessionId: string, bodies: readonly EventBody[], options?: AppendOptions) => {
    // Detects a lost lease (this machine slept while another process took over) before anything is written.
    refuseElsewhere(sessionId)
    const header = headers.get(sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return write(header, bodies, options)
  }).immediate

  const create = db.transaction(({ sessionId, ...input }: Parameters<Store['create']>[0]) => {
    const header = emptyHeader(sessionId)
    headers.insert(header)
    const result = write(header, [{ type: 'session.created', ...input }])
    leases.take(sessionId)
    return result.header
  }).immediate

  const hideNow = db.transaction((sessionId: string) => {
    refuseElsewhere(sessionId)
    if (!headers.get(sessionId)) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    hide.run(sessionId)
    // If the store is damaged later, the session must not come back from a backup.
    remember.run(removedKey(sessionId), String(now()))
  }).immediate

  const removeChunk = db.transaction((sessionId: string) => {
    const chunk = { id: sessionId, limit: REMOVE_CHUNK }
    removeTexts.run(chunk)
    const { changes } = removeEvents.run(chunk)
    if (changes < REMOVE_CHUNK) removeSession.run(sessionId)
    return changes === REMOVE_CHUNK
  }).immediate

  const removeHidden = (sessionId: string): void => {
    while (removeChunk(sessionId));
  }

  return {
    append(sessionId, bodies, options) {
      if (bodies.length === 0) return []
      const { events, header } = append(sessionId, bodies, options)
      headers.keep(header)
      return events
    },
    create(input) {
      const header = create(input)
      headers.keep(header)
      return header
    },
    remove(sessionId) {
      hideNow(sessionId)
      headers.forget(sessionId)
      removeHidden(sessionId)
    },
    finishRemovals() {
      for (const sessionId of removed.all()) removeHidden(sessionId)
    },
  }
}

/** The `meta` key that marks a session as removed, so that it does not come back from a copy of the store. */
export function removedKey(sessionId: string): string {
  return `${REMOVED}${sessionId}`
}

/** The ids of removed sessions in an open store. */
export function removedIds(db: Database): Set<string> {
  const keys = db
    .prepare<[string, string], string>('SELECT key FROM main.meta WHERE key > ? AND key < ?')
    .pluck()
    .all(REMOVED, `${REMOVED}~`)
  return new Set(keys.map((key) => key.slice(REMOVED.length)))
}

export const REMOVED = 'removed.'
