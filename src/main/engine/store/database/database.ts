import { chmodSync, statSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'

export type Database = BetterSqlite3.Database

/** How long a statement waits for another process's transaction before it fails. All of ours are short. */
export const BUSY_TIMEOUT_MS = 5000

/**
 * Opens a store file (created when missing) with the settings every connection must have.
 *
 * WAL with synchronous=NORMAL: a commit is written to the log file and survives the death of the process. Only a power
 * cut or a crash of the operating system can lose the newest commits (those since the last checkpoint that the system
 * had not written yet); even then the file stays consistent, and only the newest commits are missing, never one in the
 * middle.
 *
 * `alone`: locks out other processes, so that not even the small shared-memory file is needed and the store can be read
 * on a full disk.
 *
 * Throws SqliteError; `storeError` converts it to a CodedError.
 */
export function openDatabase(file: string, { alone = false } = {}): Database {
  const db = new BetterSqlite3(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Before the first access: the index of the log is then kept in this process's memory, not in a file beside it.
    if (alone) db.pragma('locking_mode = EXCLUSIVE')
    chmodSync(file, 0o600)
    // A new file has nothing to lose in a power cut, and syncing is most of the time it takes to create one.
    if (statSync(file).size === 0) db.pragma('synchronous = OFF')
    useWal(db)
    db.pragma('synchronous = NORMAL')
    db.pragma('foreign_keys = ON')
    db.pragma('temp_store = MEMORY')
    // 2 MB: windows and appends touch few pages, and the whole process has to fit in 150 MB.
    db.pragma('cache_size = -2000')
    // 4 MB between checkpoints; a log that grew during a long read is truncated again.
    db.pragma('wal_autocheckpoint = 1000')
    db.pragma('journal_size_limit = 16777216')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a file without creating or changing anything. */
export function openReadOnly(file: string): Database {
  return new BetterSqlite3(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
}

/** Opens a new file that is either completed or thrown away, without any crash safety. */
export function openScratchFile(file: string): Database {
  const db = new BetterSqlite3(file)
  chmodSync(file, 0o600)
  for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF', 'temp_store = MEMORY'])
    db.pragma(setting)
  return db
}

/** The SQLite result code of an exception, e.g. `SQLITE_FULL`; undefined for anything else. */
export function sqliteCode(error: unknown): string | undefined {
  return error instanceof BetterSqlite3.SqliteError ? error.code : undefined
}

/**
 * Switching a new file to WAL needs an exclusive lock for a moment, and SQLite's busy timeout does not always cover
 * that.
 */
function useWal(db: Database): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
