import { join } from 'node:path'
import { statfsSync } from 'node:fs'
import { CodedError } from '../../../shared/errors'
import { sqliteCode, type Database } from './database'

/**
 * What an exception of SQLite means to people: `store.full`, `store.busy` or `store.unreadable`. Anything that is not a failure
 * of the disk or the file (a bug, a CodedError) is returned as it is.
 */
export function storeError(error: unknown, home: string): unknown {
  const code = sqliteCode(error)
  if (error instanceof StoreDamage)
    return new CodedError('store.unreadable', `The session store in ${home} is damaged: ${error.message}.`, {
      cause: error,
    })
  if (code === undefined || !(error instanceof Error)) return error
  const said = `${error.message} (${code})`
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isFull(home))) {
    return new CodedError('store.full', `There is no space left for the session store in ${home}: ${said}`, {
      cause: error,
    })
  }
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') {
    return new CodedError('store.busy', `Another program kept the session store in ${home} locked: ${said}`, {
      cause: error,
    })
  }
  if (isDamage(error)) {
    const message = `The session store in ${home} is damaged: ${said}. The next start moves it aside, keeps it, and goes on from a backup.`
    return new CodedError('store.unreadable', message, { cause: error })
  }
  if (/^SQLITE_(READONLY|CANTOPEN|IOERR|PERM|AUTH|NOLFS|PROTOCOL)/.test(code)) {
    return new CodedError('store.unreadable', `The session store in ${home} cannot be read or written: ${said}`, {
      cause: error,
    })
  }
  return error
}

/** Some failures on a full disk (of the shared-memory file, say) come as plain I/O errors. */
function isFull(home: string): boolean {
  try {
    return statfsSync(home).bavail === 0
  } catch {
    return false
  }
}

/** Says in words what is wrong with a store file. */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage'
}

/** Whether an exception says that the file's content is broken (as opposed to: cannot be reached, is full, is locked). */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return error instanceof StoreDamage || code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') === true
}

/** Reads the whole file (about 500 MB/s when cached) and throws StoreDamage, or SQLite's own error, at the first thing that is wrong. */
export function checkFile(db: Database): void {
  const found: unknown = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new StoreDamage(String(found).replace(/^\*\*\* in database main \*\*\*\s*/, ''))
}

/** A file with this name asks the next start for a complete check: damage was met while running. */
export function suspectMarker(home: string): string {
  return join(home, 'trestle.db.suspect')
}
