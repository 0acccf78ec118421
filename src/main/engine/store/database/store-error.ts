import { join } from 'node:path'
import { statfsSync, statSync } from 'node:fs'
import { CodedError } from '../../../../shared/errors'
import { processLimits } from '../../process/file-descriptors'
import { sqliteCode, type Database } from './database'

/**
 * Converts an exception of SQLite, or of a full disk, to a CodedError: `store.full`, `store.busy` or
 * `store.unreadable`. Anything that is not a failure of the disk or the file (a bug, a CodedError) is returned
 * unchanged.
 */
export function storeError(error: unknown, home: string): unknown {
  const code = sqliteCode(error)
  if (error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT'))
    return new CodedError('store.full', `There is no space left for the session store in ${home}: ${error.message}`, {
      cause: error,
    })
  if (error instanceof StoreDamage)
    return new CodedError('store.unreadable', `The session store in ${home} is damaged: ${error.message}.`, {
      cause: error,
    })
  if (code === undefined || !(error instanceof Error)) return error
  const details = `${error.message} (${code})`
  if (code === 'SQLITE_FULL' || (code.startsWith('SQLITE_IOERR') && isFull(home))) {
    return new CodedError('store.full', `There is no space left for the session store in ${home}: ${details}`, {
      cause: error,
    })
  }
  const limit = code.startsWith('SQLITE_IOERR') ? reachedLimit(home) : undefined
  if (limit !== undefined) {
    const message =
      `There is no space left for the session store in ${home}: ${details}. ` +
      `The files of this process may have at most ${limit} bytes (ulimit -f); start Trestle without this limit.`
    return new CodedError('store.full', message, { cause: error })
  }
  if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') {
    return new CodedError('store.busy', `Another program kept the session store in ${home} locked: ${details}`, {
      cause: error,
    })
  }
  if (isDamage(error)) {
    const message =
      `The session store in ${home} is damaged: ${details}. ` +
      'The next start repairs it and keeps a copy of the damaged file.'
    return new CodedError('store.unreadable', message, { cause: error })
  }
  if (/^SQLITE_(READONLY|CANTOPEN|IOERR|PERM|AUTH|NOLFS|PROTOCOL)/.test(code)) {
    return new CodedError('store.unreadable', `The session store in ${home} cannot be read or written: ${details}`, {
      cause: error,
    })
  }
  return error
}

/** Some failures on a full disk (of the shared-memory file, for example) are reported as plain I/O errors. */
function isFull(home: string): boolean {
  try {
    return statfsSync(home).bavail === 0
  } catch {
    return false
  }
}

/** Transactions rarely add more to a file. */
const SLACK_BYTES = 16 * 1024 * 1024

/** The limit on file sizes, if the store may have reached it: a checkpoint writes the whole log to the store file. */
function reachedLimit(home: string): number | undefined {
  const limit = fileSizeLimit()
  if (limit === Number.POSITIVE_INFINITY) return undefined
  const sizes = ['', '-wal', '-shm'].map((end) => sizeOf(join(home, `trestle.db${end}`)))
  return sizes.reduce((sum, size) => sum + size, SLACK_BYTES) >= limit ? limit : undefined
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

/**
 * The size limit in bytes for files this process writes; Infinity if the system reports none. SQLite reports a write
 * beyond it as an I/O error.
 */
function fileSizeLimit(): number {
  const found = /^Max file size\s+(\d+)/m.exec(processLimits())?.[1]
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
}

/** Damage of a store file; the message says what is wrong. */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage'
}

/** Whether an error means that the file's content is damaged (not that it is inaccessible, full, or locked). */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return error instanceof StoreDamage || code === 'SQLITE_NOTADB' || code?.startsWith('SQLITE_CORRUPT') === true
}

/**
 * Reads the whole file (about 500 MB/s when cached); throws StoreDamage, or SQLite's own error, at the first problem.
 */
export function checkFile(db: Database): void {
  const found: unknown = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new StoreDamage(String(found).replace(/^\*\*\* in database main \*\*\*\s*/, ''))
}

/** If this file exists, the next start checks the whole store, because damage was found while running. */
export function suspectMarker(home: string): string {
  return join(home, 'trestle.db.suspect')
}
