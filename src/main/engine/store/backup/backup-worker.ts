import { parentPort, workerData } from 'node:worker_threads'
import BetterSqlite3 from 'better-sqlite3'
import type { BackupInput, BackupOutcome } from './store-backups'

/**
 * The thread that copies the store while it is being read and written, and checks the copy. All pages are copied in one
 * step, because a write by another process between steps restarts the copy. Imports none of Trestle's modules at run
 * time, so that it also runs from sources.
 */
const { source, target } = workerData as BackupInput
const ALL_PAGES = 0x7fffffff

async function copy(): Promise<BackupOutcome> {
  const store = new BetterSqlite3(source, { readonly: true, fileMustExist: true })
  try {
    await store.backup(target, { progress: () => ALL_PAGES })
  } finally {
    store.close()
  }
  const made = new BetterSqlite3(target)
  try {
    // A single file, without a write-ahead log.
    made.pragma('journal_mode = DELETE')
    // Leases apply only to the original store.
    made.exec('DELETE FROM lease; DELETE FROM process')
    const found: unknown = made.pragma('quick_check(1)', { simple: true })
    return found === 'ok' ? { kind: 'made' } : { kind: 'damaged', reason: String(found) }
  } finally {
    made.close()
  }
}

void copy()
  .catch((error: unknown): BackupOutcome => {
    const code = error instanceof BetterSqlite3.SqliteError ? error.code : ''
    const reason = error instanceof Error ? error.message : String(error)
    return {
      kind: /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? 'damaged' : code === 'SQLITE_FULL' ? 'full' : 'failed',
      reason,
    }
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  .then((outcome) => parentPort?.postMessage(outcome))
