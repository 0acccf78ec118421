import type { KnownVisitor, SessionRow, StoreRows } from './store-rows'

/** What the sources say of one session, apart from its events. */
interface KnownSession {
  row?: SessionRow
  /** The highest number of an event that it had. */
  most: number
  removed: boolean
}

/** What files say of the sessions that were in them: what should be there, and what the user removed. */
export interface KnownSessions {
  /** Reads a source. What an earlier one said of a session counts more. */
  read(source: StoreRows, header: KnownVisitor['header']): void
  get(sessionId: string): KnownSession | undefined
  all(): ReadonlyMap<string, KnownSession>
}

export function createKnownSessions(): KnownSessions {
  const sessions = new Map<string, KnownSession>()
  const at = (sessionId: string): KnownSession => {
    const found = sessions.get(sessionId) ?? { most: 0, removed: false }
    sessions.set(sessionId, found)
    return found
  }
  const listed = (sessionId: string, seq: number): void => {
    const session = at(sessionId)
    session.most = Math.max(session.most, seq)
  }
  return {
    read(source, header) {
      source.known({
        header,
        listed,
        session(row) {
          const session = at(row.sessionId)
          session.row ??= row
          session.removed ||= row.removed
          listed(row.sessionId, row.seq)
        },
        removed: (sessionId) => void (at(sessionId).removed = true),
      })
    },
    get: (sessionId) => sessions.get(sessionId),
    all: () => sessions,
  }
}
