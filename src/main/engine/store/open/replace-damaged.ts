import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { newestGoodBackup, timestampOf } from '../backup/backup-files'
import { BUSY_TIMEOUT_MS, openReadOnly, sqliteCode, type Database } from '../database/database'
import { rebuildStore, type RebuildReport } from '../recovery/rebuild-store'
import { openStoreRows } from '../recovery/store-rows'
import { withLock } from '../database/store-lock'
import { isDamage, checkFile, suspectMarker } from '../database/store-error'
import { lockStoreFile, usersOf } from './lock-store-file'

/**
 * Replaces a damaged file with a store that has everything readable from it and from the newest good backup. The
 * damaged file is kept next to it, with its log under the same name, so that SQLite tools can still open it; nothing is
 * deleted. Returns the notice for the user, or undefined if another process has just replaced or changed it. `inode`:
 * the file that was found damaged. Throws `store.busy` while another process has the file open: it would keep
 * writing to the file that was moved away.
 */
export function replaceDamagedStore(options: {
  home: string
  file: string
  inode: number
  reason: string
  newestVersion: number
  now: number
}): string | undefined {
  const { home, file, inode, reason, newestVersion, now } = options
  return withLock(storeLockFile(home), () => {
    if (!existsSync(file) || statSync(file).ino !== inode) return undefined
    // Reading the file, below, would release this process's lock.
    lockUnused(options)()
    const before = stateOf(file)
    const aside = freeName(`${file}.damaged-${timestampOf(now)}`)
    const backup = newestGoodBackup(home, now, (candidate) => isSound(candidate, newestVersion))
    const rebuilt = join(home, `trestle.db.rebuilt-${process.pid}`)
    const sources = [file, ...(backup ? [backup.file] : [])].map((source) => openStoreRows(source))
    try {
      rmSync(rebuilt, { force: true })
      const found = rebuildStore(rebuilt, sources)
      const unlock = lockUnused(options)
      try {
        if (stateOf(file) !== before) return undefined
        // Windows cannot move an open file, not even one open in this process.
        if (process.platform === 'win32') unlock()
        // Only after the rebuild, so that nothing has changed if there was no space for it.
        for (const ending of ['', '-wal', '-shm'])
          if (existsSync(file + ending)) renameSync(file + ending, aside + ending)
        renameSync(rebuilt, file)
      } finally {
        unlock()
      }
      return (
        `The session store was damaged (${reason}). ` +
        `${recoverySummary(found, backup?.at)} The damaged file is kept as ${aside}.`
      )
    } finally {
      for (const source of sources) source.close()
      rmSync(rebuilt, { force: true })
    }
  })
}

/** Locks out other processes. Waits, since those that are only checking the file, as this one did, finish soon. */
function lockUnused({ home, file, reason }: { home: string; file: string; reason: string }): () => void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  for (;;) {
    const unlock = lockStoreFile(file)
    if (unlock) return unlock
    const [user] = usersOf(file)
    if (user !== undefined || performance.now() > deadline) {
      writeFileSync(suspectMarker(home), '', { mode: 0o600 })
      const other = `another Trestle${user === undefined ? '' : ` (process ${user})`}`
      throw new CodedError(
        'store.busy',
        `The session store in ${home} is damaged (${reason}), and ${other} has it open. It is repaired ` +
          'when no Trestle uses it: quit them all (trestle engine stop ends the engine), then start again.',
      )
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
}

/** Changes with every change of the file or its log. */
function stateOf(file: string): string {
  return ['', '-wal']
    .map((ending) => statSync(file + ending, { throwIfNoEntry: false }))
    .map((found) => (found ? `${found.ino} ${found.size} ${found.mtimeMs}` : ''))
    .join()
}

/** The lock file for replacing the store file. */
export function storeLockFile(home: string): string {
  return join(home, 'trestle.db.lock')
}

function isSound(file: string, newestVersion: number): boolean {
  let db: Database | undefined
  try {
    db = openReadOnly(file)
    checkFile(db)
    return Number(db.pragma('user_version', { simple: true })) <= newestVersion
  } catch (error) {
    if (isDamage(error) || sqliteCode(error) !== undefined) return false
    throw error
  } finally {
    db?.close()
  }
}

function freeName(wanted: string): string {
  let name = wanted
  for (let n = 2; existsSync(name) || existsSync(`${name}-wal`); n += 1) name = `${wanted}-${n}`
  return name
}

/** What was recovered, as sentences for the user. `backupAt`: the time of the backup that was used. */
function recoverySummary({ sessions, events, lostSessions, lostEvents }: RebuildReport, backupAt?: number): string {
  const source = backupAt === undefined ? 'there was no usable backup' : `with the backup of ${dayAndTime(backupAt)}`
  if (events === 0) {
    const lost = lostSessions > 0 ? `${countOf(lostSessions, 'session')} could not be read` : 'no session could be read'
    return (
      'Trestle starts with an empty store, ' +
      `since ${lost} and ${backupAt === undefined ? source : 'the newest backup is empty'}.`
    )
  }
  const recovered =
    `${countOf(sessions, 'session')} with ${countOf(events, 'event')} ` +
    `${sessions === 1 ? 'was' : 'were'} recovered (${source}).`
  if (lostSessions + lostEvents === 0) return `${recovered} No loss was found.`
  const lost =
    lostSessions > 0
      ? `${countOf(lostSessions, 'session')} and ${countOf(lostEvents, 'event')}`
      : countOf(lostEvents, 'event')
  return `${recovered} Lost: ${lost}.`
}

/** E.g. `1,203 events`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

function dayAndTime(at: number): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
}
