import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newestGoodBackup, stampOf } from './backup/backup-files'
import { openReadOnly, sqliteCode, type Database } from './database'
import { rebuildStore } from './recovery/rebuild-store'
import { recoveryWords } from './recovery/recovery-words'
import { openRows } from './recovery/store-rows'
import { withLock } from './store-lock'

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
export function suspectMark(home: string): string {
  return join(home, 'trestle.db.suspect')
}

/**
 * Puts in the place of a damaged file a store with everything that can be read from it and from the newest good backup. The file is kept beside it, with its
 * log under the same name, so that SQLite tools can still open it; nothing is deleted. Returns the notice for the user, or undefined when another process
 * has just done it. `inode` is the file that was found damaged.
 */
export function replaceDamaged(options: {
  home: string
  file: string
  inode: number
  reason: string
  newestVersion: number
  now: number
}): string | undefined {
  const { home, file, inode, reason, newestVersion, now } = options
  return withLock(storeLock(home), () => {
    if (!existsSync(file) || statSync(file).ino !== inode) return undefined
    const aside = freeName(`${file}.damaged-${stampOf(now)}`)
    const backup = newestGoodBackup(home, (candidate) => isSound(candidate, newestVersion))
    const rebuilt = join(home, `trestle.db.rebuilt-${process.pid}`)
    const sources = [file, ...(backup ? [backup.file] : [])].map((source) => openRows(source))
    try {
      rmSync(rebuilt, { force: true })
      const found = rebuildStore(rebuilt, sources)
      // Only now: without space for a new file everything stays as it was.
      for (const ending of ['', '-wal', '-shm']) if (existsSync(file + ending)) renameSync(file + ending, aside + ending)
      renameSync(rebuilt, file)
      return `The session store was damaged (${reason}). ${recoveryWords(found, backup?.at)} The damaged file is kept as ${aside}.`
    } finally {
      for (const source of sources) source.close()
      rmSync(rebuilt, { force: true })
    }
  })
}

/** Held by whoever puts a store file in its place. */
export function storeLock(home: string): string {
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
