import { linkSync, mkdirSync, renameSync, rmSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { errorCode, errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { withMemoryFallback } from './memory-fallback'
import type { Store } from '../store'
import { removeBrokenBackups, takeBackup } from '../backup/backup-files'
import { replaceDamagedStore } from './replace-damaged'
import { walProblem } from '../recovery/write-ahead-log'
import { recoverSessions, type RecoveryReport } from '../recovery/recover-sessions'
import { openDatabase, type Database } from '../database/database'
import { createLeases, type Duties } from '../lease'
import { CURRENT_VERSION, migrate, MIGRATIONS, versionOf, type Migration } from '../migrations'
import { identityOf } from '../../process/process-identity'
import { createSqliteStore } from '../sqlite-store'
import { storeError, checkFile, isDamage, StoreDamage, suspectMarker } from '../database/store-error'

/** A file up to this size is checked at every start: that takes a few milliseconds. */
const SMALL_BYTES = 2 * 1024 * 1024
/**
 * A larger one is checked once a day, because reading it takes about 2 ms per MB; a file above this size once a week.
 */
const LARGE_BYTES = 256 * 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000

const TABLES = ['session', 'session_header', 'event', 'process', 'lease', 'meta', 'search']

export interface StoreOptions {
  /** The folder of the store; created (0700) when missing. */
  home: string
  /** ms since the epoch. */
  now?: () => number
  /** The process that holds the leases; differs from this process only in tests. */
  pid?: number
  /** Migration steps for tests. */
  migrations?: readonly Migration[]
}

export interface OpenedStore {
  store: Store
  /** The open file, for tables that have their own module. */
  database: Database
  duties: Duties
  /** What went wrong and what was done about it, for the user. */
  notices: string[]
  /** Merges sessions of a damaged store or a backup that this store does not have. */
  recover(file?: string): RecoveryReport
}

/**
 * Opens the session store `$home/trestle.db`: checks it when due (a process ended without closing it or found damage,
 * it is small, or a day has passed), and backs it up and migrates it when it is older than this Trestle. A damaged file
 * never prevents a start: it is replaced by what can be read from it and from the newest backup, and `notices` informs
 * the user. Throws `store.too_new`, `store.full`, `store.busy` or `store.unreadable`.
 */
export function openStore(options: StoreOptions): OpenedStore {
  const { home, now = Date.now } = options
  const file = join(home, 'trestle.db')
  const notices: string[] = []
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new CodedError('store.unreadable', `The folder ${home} cannot be created: ${String(error)}`, { cause: error })
  }
  try {
    // A second attempt after a repair; a third if another process repaired it at the same time.
    for (let attempt = 1; ; attempt += 1) {
      const inode = fileAt(file)?.ino ?? 0
      try {
        return { ...openChecked(file, options), notices }
      } catch (error) {
        if (!isDamage(error) || attempt === 3) throw error
        const reason = errorText(error)
        const notice = replaceDamagedStore({ home, file, inode, reason, newestVersion: CURRENT_VERSION, now: now() })
        if (notice !== undefined) notices.push(notice)
      }
    }
  } catch (error) {
    throw storeError(error, home)
  }
}

function openChecked(
  file: string,
  { home, now = Date.now, pid = process.pid, migrations = MIGRATIONS }: StoreOptions,
): Omit<OpenedStore, 'notices'> {
  if (!fileAt(file)) makeStore(file, migrations)
  refuseEmptied(file)
  const log = walProblem(file)
  if (log !== undefined) throw new StoreDamage(log)
  const { ino } = fileAt(file) ?? {}
  const db = openEvenIfFull(file, home)
  try {
    // Replaced just before opening it locked it: the old file is open.
    if (fileAt(file)?.ino !== ino) throw new StoreDamage('it was replaced while it was opened')
    const version = versionOf(db)
    const newest = migrations.at(-1)?.version ?? 0
    // Check before a migration, and because an unknown version may be caused by damage.
    if (version !== newest) checkFile(db)
    migrate(db, { migrations, backup: (from) => void takeBackup(db, { home, version: from, now: now() }) })
    requireTables(db)
    const leases = createLeases(db, identityOf(pid), now)
    // Before anything is written, so that a damaged file is kept unchanged.
    checkIfDue(db, {
      home,
      suspect: leases.unclean() || fileAt(suspectMarker(home)) !== undefined,
      bytes: fileAt(file)?.size ?? 0,
      now: now(),
    })
    rmSync(suspectMarker(home), { force: true })
    unlessFull(home, () => leases.register())
    removeBrokenBackups(home)
    return {
      database: db,
      duties: leases.duties,
      store: withMemoryFallback(createSqliteStore(db, { home, leases, now }), now),
      recover(wanted) {
        try {
          return recoverSessions(db, { home, leases, ...(wanted !== undefined && { file: wanted }) })
        } catch (error) {
          throw storeError(error, home)
        }
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens the store even on a full disk: it can at least be read. */
function openEvenIfFull(file: string, home: string): Database {
  try {
    return openDatabase(file)
  } catch (error) {
    if (!isFullDisk(error, home) || (fileAt(file)?.size ?? 0) === 0) throw error
    return openDatabase(file, { alone: true })
  }
}

/** Runs an optional write; ignores a full disk, because the store can still be read. */
function unlessFull(home: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isFullDisk(error, home)) throw error
  }
}

function isFullDisk(error: unknown, home: string): boolean {
  const known = storeError(error, home)
  return known instanceof CodedError && known.code === 'store.full'
}

/** Creates a new store under another name and links it into place, so that an empty store file is always damage. */
function makeStore(file: string, migrations: readonly Migration[]): void {
  const made = `${file}.new-${process.pid}`
  const remove = (): void => {
    for (const ending of ['', '-wal', '-shm']) rmSync(made + ending, { force: true })
  }
  remove()
  try {
    const db = openDatabase(made)
    try {
      migrate(db, { migrations, backup: () => {} })
      // Closing ignores a full disk and would leave some tables in the log, which is not linked.
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
    linkSync(made, file)
  } catch (error) {
    if (fileAt(file)) return
    // A file system without links, such as those of memory cards.
    if (['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EISDIR'].includes(errorCode(error) ?? '')) renameSync(made, file)
    else throw error
  } finally {
    remove()
  }
}

/** SQLite treats an empty file as a new store and would delete its log, which may hold everything. */
function refuseEmptied(file: string): void {
  if (fileAt(file)?.size === 0) throw new StoreDamage('the file is empty')
}

function requireTables(db: Database): void {
  const present = new Set(db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all())
  const missing = TABLES.filter((table) => !present.has(table))
  if (missing.length > 0) throw new StoreDamage(`there is no table ${missing.join(', ')}`)
}

function checkIfDue(
  db: Database,
  { home, suspect, bytes, now }: { home: string; suspect: boolean; bytes: number; now: number },
): void {
  const last = Number(db.prepare<[], string>("SELECT value FROM meta WHERE key = 'checked_at'").pluck().get() ?? 0)
  const age = Math.abs(now - last)
  const due = age > (bytes > LARGE_BYTES ? 7 * DAY_MS : DAY_MS)
  if (!suspect && !due && bytes > SMALL_BYTES) return
  checkFile(db)
  if (due)
    unlessFull(home, () =>
      db
        .prepare<[string]>(
          "INSERT INTO meta (key, value) VALUES ('checked_at', ?) " +
            'ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        )
        .run(String(now)),
    )
}

function fileAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
