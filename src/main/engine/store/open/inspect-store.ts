import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { CodedError } from '../../../../shared/errors'
import { CURRENT_VERSION, versionOf } from '../migrations'
import { checkFile } from '../database/store-error'

/**
 * Checks the whole session store of a home without changing it; returns a summary for the user. Throws at the first
 * problem.
 */
export function inspectStore(home: string): string {
  const db = new BetterSqlite3(join(home, 'trestle.db'), { readonly: true, fileMustExist: true, timeout: 1000 })
  try {
    checkFile(db)
    const version = versionOf(db)
    if (version > CURRENT_VERSION)
      throw new CodedError(
        'store.too_new',
        `The session store has version ${version}, and this Trestle knows ${CURRENT_VERSION}.`,
      )
    const sessions = db.prepare<[], number>('SELECT count(*) FROM session').pluck().get() ?? 0
    return `${sessions} ${sessions === 1 ? 'session' : 'sessions'}, no damage found.`
  } finally {
    db.close()
  }
}

/** Loads SQLite's native module by opening a database in memory. */
export function loadSqlite(): void {
  new BetterSqlite3(':memory:').close()
}
