import type { Database } from '../database/database'

/** A turn of the home's engine that continues after a crash. */
export interface KeptTurn {
  sessionId: string
  /** How often it was resumed after its process died. */
  crashes: number
  /** Set if it never asks the user; see `UnattendedTurn`. */
  unattended?: { maxSteps?: number }
  /** Its process deliberately left it to the next one. */
  left?: true
  /** The environment of its process. */
  environment?: NotedEnvironment
}

/** The environment variables of a process, without their values. */
export interface NotedEnvironment {
  /** Variable names with keyed hashes of their values. */
  marks: Record<string, string>
  /** Whether they were read from the user's login shell. */
  ofLogin: boolean
}

/**
 * Turns that continue when their process ends before they do. They are entries of `meta`, so they survive that process;
 * the log and the leases have which turns are open and who runs them.
 */
export interface KeptTurnRows {
  put(turn: KeptTurn): void
  get(sessionId: string): KeptTurn | undefined
  remove(sessionId: string): void
  all(): KeptTurn[]
}

const PREFIX = 'kept-turn:'

export function createKeptTurnRows(db: Database): KeptTurnRows {
  const put = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const one = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const remove = db.prepare<[string]>('DELETE FROM meta WHERE key = ?')
  const all = db.prepare<[string, string], string>('SELECT value FROM meta WHERE key >= ? AND key < ?').pluck()
  return {
    put: (turn) => void put.run(PREFIX + turn.sessionId, JSON.stringify(turn)),
    get(sessionId) {
      const found = one.get(PREFIX + sessionId)
      return found === undefined ? undefined : (JSON.parse(found) as KeptTurn)
    },
    remove: (sessionId) => void remove.run(PREFIX + sessionId),
    // `;` follows `:`.
    all: () => all.all(PREFIX, 'kept-turn;').map((text) => JSON.parse(text) as KeptTurn),
  }
}
