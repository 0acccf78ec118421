import { randomUUID } from 'node:crypto'
import type { Database } from './database/database'
import { isAlive, type ProcessIdentity } from '../process/process-identity'

/** Frequent enough that one or two missed beats do not make a holder look dead (STALE_MS). */
const HEARTBEAT_MS = 15_000

interface ProcessRow extends ProcessIdentity {
  owner: string
  heartbeat: number
}

interface HolderRow extends ProcessRow {
  sessionId: string
  since: number
}

/** Session leases: which process runs which session. A session lease ends with its process, even after a crash. */
export interface Leases {
  /** The id of this connection in the tables. */
  readonly owner: string
  /** Whether a process of this machine ended without closing the store. Only reads. */
  unclean(): boolean
  /** Registers this process and removes dead ones with their leases. */
  register(): void
  /**
   * Takes the lease of a session; not ok, with where it runs, if another live process has it. Must be called inside a
   * transaction.
   */
  take(sessionId: string): { ok: true } | { ok: false; where: string }
  release(sessionId: string): void
  /** Where a session runs, if another live process has it. */
  elsewhere(sessionId: string): string | undefined
  /** The same for all leases at once. */
  allElsewhere(): Map<string, string>
  /** The sessions held by this store. */
  held(): Set<string>
  /** Releases all leases. */
  close(): void
  /** Duties of the home. */
  duties: Duties
}

/** Work for the whole home that one process does at a time. A duty ends with its process, even after a crash. */
export interface Duties {
  /** The id of this connection in the tables. */
  readonly owner: string
  /** Takes the duty, unless another live process has it. Only reads if this process already has it. */
  take(duty: string): boolean
  release(duty: string): void
  /** The other live process that has it. */
  elsewhere(duty: string): string | undefined
  /** Whether the process of this connection is alive. */
  lives(owner: string): boolean
}

export function createLeases(db: Database, self: ProcessIdentity, now: () => number): Leases {
  const owner = randomUUID()
  const columns = 'l.session_id AS sessionId, p.owner, p.pid, p.host, p.machine, p.started, l.since, p.heartbeat'
  const joined = `SELECT ${columns} FROM lease l JOIN process p ON p.owner = l.owner`
  const holder = db.prepare<[string], HolderRow>(`${joined} WHERE l.session_id = ?`)
  const ownerOf = db.prepare<[string], string>('SELECT owner FROM lease WHERE session_id = ?').pluck()
  const others = db.prepare<[string], HolderRow>(`${joined} WHERE l.owner <> ?`)
  const processes = db.prepare<[], ProcessRow>('SELECT owner, pid, host, machine, started, heartbeat FROM process')
  const addProcess = db.prepare<[string, number, string, string, string, number]>(
    'INSERT INTO process (owner, pid, host, machine, started, heartbeat) VALUES (?, ?, ?, ?, ?, ?) ' +
      'ON CONFLICT (owner) DO NOTHING',
  )
  const removeProcess = db.prepare<[string]>('DELETE FROM process WHERE owner = ?')
  const take = db.prepare<[string, string, number]>(
    `INSERT INTO lease (session_id, owner, since) VALUES (?, ?, ?)
     ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner, since = excluded.since`,
  )
  const give = db.prepare<[string, string]>('DELETE FROM lease WHERE session_id = ? AND owner = ?')
  const ours = db.prepare<[string], string>('SELECT session_id FROM lease WHERE owner = ?').pluck()
  const beat = db.prepare<[number, string]>('UPDATE process SET heartbeat = ? WHERE owner = ?')

  const enlist = (): void => void addProcess.run(owner, self.pid, self.host, self.machine, self.started, now())
  const lives = (row: ProcessRow): boolean => isAlive(row, now() - row.heartbeat, self)

  let timer: NodeJS.Timeout | undefined
  const keepBeating = (): void => {
    timer ??= setInterval(() => {
      try {
        beat.run(now(), owner)
      } catch {
        // A full disk or a long lock: the next beat tries again, and on the same machine liveness does not depend on
        // heartbeats.
      }
    }, HEARTBEAT_MS).unref()
  }

  const elsewhere = (sessionId: string): string | undefined => {
    // Called at every append, when the lease is nearly always ours.
    if (ownerOf.get(sessionId) === owner) return undefined
    const row = holder.get(sessionId)
    return row && lives(row) ? whereOf(row, self, now()) : undefined
  }

  const dutyHolder = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const setDuty = db.prepare<[string, string]>(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const endDuty = db.prepare<[string, string]>('DELETE FROM meta WHERE key = ? AND value = ?')
  const processOf = db.prepare<[string], ProcessRow>(
    'SELECT owner, pid, host, machine, started, heartbeat FROM process WHERE owner = ?',
  )
  const ownerLives = (of: string): boolean => {
    const row = processOf.get(of)
    return row !== undefined && lives(row)
  }
  const takeDuty = db.transaction((duty: string): boolean => {
    const has = dutyHolder.get(keyOf(duty))
    if (has !== undefined && has !== owner && ownerLives(has)) return false
    enlist()
    beat.run(now(), owner)
    setDuty.run(keyOf(duty), owner)
    keepBeating()
    return true
  }).immediate
  const duties: Duties = {
    owner,
    take: (duty) => dutyHolder.get(keyOf(duty)) === owner || takeDuty(duty),
    release: (duty) => void endDuty.run(keyOf(duty), owner),
    elsewhere(duty) {
      const has = dutyHolder.get(keyOf(duty))
      const row = has === undefined || has === owner ? undefined : processOf.get(has)
      return row && lives(row) ? whereOf(row, self, now()) : undefined
    },
    lives: ownerLives,
  }

  return {
    owner,
    duties,
    unclean: () => processes.all().some((row) => row.host === self.host && !lives(row)),
    register: db.transaction(() => {
      for (const row of processes.all()) if (!lives(row)) removeProcess.run(row.owner)
      enlist()
    }).immediate,
    take(sessionId) {
      const row = holder.get(sessionId)
      if (row?.owner === owner) return { ok: true }
      if (row && lives(row)) return { ok: false, where: whereOf(row, self, now()) }
      enlist()
      beat.run(now(), owner)
      take.run(sessionId, owner, now())
      keepBeating()
      return { ok: true }
    },
    release: (sessionId) => void give.run(sessionId, owner),
    elsewhere,
    allElsewhere() {
      const living = new Map<string, boolean>()
      const found = new Map<string, string>()
      for (const row of others.all(owner)) {
        const alive = living.get(row.owner) ?? lives(row)
        living.set(row.owner, alive)
        if (alive) found.set(row.sessionId, whereOf(row, self, now()))
      }
      return found
    },
    held: () => new Set(ours.all(owner)),
    close() {
      clearInterval(timer)
      removeProcess.run(owner)
    },
  }
}

function keyOf(duty: string): string {
  return `duty:${duty}`
}

/** E.g. `another Trestle (process 1234, since 14:02)`; without a time where it is not known. */
function whereOf(holder: ProcessRow & Partial<Pick<HolderRow, 'since'>>, self: ProcessIdentity, now: number): string {
  const place = `another Trestle${holder.host === self.host ? '' : ` on ${holder.host}`}`
  if (holder.since === undefined) return `${place} (process ${holder.pid})`
  const since = new Date(holder.since)
  const time = `${String(since.getHours()).padStart(2, '0')}:${String(since.getMinutes()).padStart(2, '0')}`
  const day =
    since.toDateString() === new Date(now).toDateString()
      ? ''
      : `${since.getDate()} ${since.toLocaleString('en', { month: 'short' })} `
  return `${place} (process ${holder.pid}, since ${day}${time})`
}
