import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { openReadOnly, sqliteCode, type Database } from '../database/database'
import { identityOf, isAlive, type ProcessIdentity } from '../../process/process-identity'

const ENDINGS = ['', '-wal', '-shm', '-journal']

/**
 * Locks all other processes out of a store file, which may be damaged, without changing it or its log. Returns the
 * function that unlocks it, or undefined while another process has the file open and so holds a SQLite lock on it.
 */
export function lockStoreFile(file: string): (() => void) | undefined {
  // Under another name, SQLite does not see the log and leaves it alone. Locks belong to the file, whatever its name.
  const alias = `${file}.lock-${process.pid}`
  const remove = (): void => {
    for (const ending of ENDINGS) rmSync(alias + ending, { force: true })
  }
  remove()
  try {
    linkSync(file, alias)
  } catch {
    // A file system without links, such as those of memory cards.
    return usersOf(file).length > 0 ? undefined : () => {}
  }
  let db: Database | undefined
  const end = (): void => {
    db?.close()
    db = undefined
    remove()
  }
  try {
    // If there is a log, even an empty one, SQLite takes the lock before it reads the file.
    writeFileSync(`${alias}-wal`, '-')
    db = new BetterSqlite3(alias, { timeout: 0 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
    return end
  } catch (error) {
    const code = sqliteCode(error)
    // The file is locked even if its content cannot be read.
    if (code !== undefined && !/^SQLITE_(?:BUSY|LOCKED)/.test(code)) return end
    end()
    if (code === undefined) throw error
    return undefined
  }
}

/** The pids of other living processes that have registered in a store, as far as it can be read. */
export function usersOf(file: string): number[] {
  if (!existsSync(file)) return []
  let db: Database | undefined
  try {
    db = openReadOnly(file)
    const self = identityOf(process.pid)
    return db
      .prepare<[], ProcessIdentity & { heartbeat: number }>(
        'SELECT pid, host, machine, started, heartbeat FROM process',
      )
      .all()
      .filter((row) => row.pid !== process.pid && isAlive(row, Date.now() - row.heartbeat, self))
      .map(({ pid }) => pid)
  } catch {
    return []
  } finally {
    db?.close()
  }
}
