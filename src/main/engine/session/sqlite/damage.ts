import { closeSync, copyFileSync, existsSync, openSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { newestGoodBackup, stampOf } from './backup'
import { openReadOnly, sqliteCode, type Database } from './database'

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

/** A lock of this age belongs to a process that died in mid-repair. */
const LOCK_STALE_MS = 30_000

/**
 * Puts a damaged file aside (with its log files, under one name, so that SQLite tools can still open it) and the newest good backup in
 * its place; without one the next opening begins an empty store. Nothing is deleted. Returns the notice for the user, or undefined when
 * another process has just done it. `inode` is the file that was found damaged.
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
  return withLock(`${file}.lock`, () => {
    if (!existsSync(file) || statSync(file).ino !== inode) return undefined
    const aside = freeName(`${file}.damaged-${stampOf(now)}`)
    for (const ending of ['', '-wal', '-shm']) if (existsSync(file + ending)) renameSync(file + ending, aside + ending)
    const kept = `The session store was damaged (${reason}) and is kept as ${aside}.`
    const backup = newestGoodBackup(home, (candidate) => isSound(candidate, newestVersion))
    if (!backup) return `${kept} There is no usable backup, so Trestle begins with an empty store. Nothing was deleted.`
    const copy = join(home, `trestle.db.restored-${process.pid}`)
    copyFileSync(backup.file, copy)
    renameSync(copy, file)
    const when = new Date(backup.at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
    return `${kept} The backup of ${when} (${backup.file}) took its place; what came later is only in the kept file. Nothing was deleted.`
  })
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

/** One process at a time; the others wait, as what they want to do may be done by then. */
function withLock<T>(lock: string, run: () => T): T {
  for (;;) {
    try {
      const fd = openSync(lock, 'wx', 0o600)
      writeSync(fd, String(process.pid))
      closeSync(fd)
      break
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (age > LOCK_STALE_MS) unlinkSync(lock)
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
  try {
    return run()
  } finally {
    unlinkSync(lock)
  }
}
