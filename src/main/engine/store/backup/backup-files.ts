import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../database/database'
import { renameOverSync } from '../../workspace/file/atomic-write'
import { isRunning } from '../../process/process-identity'

/** How many backups are kept. */
const KEPT_BACKUPS = 7
/** A backup further in the future than this, in ms, was made while the clock was wrong. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000

export interface Backup {
  file: string
  /** ms since the epoch. */
  at: number
  bytes: number
}

/** `$home/backups`. */
export function backupsFolder(home: string): string {
  return join(home, 'backups')
}

/**
 * Has `write` create a copy of the store under a temporary name, then renames it into the backups and removes old ones.
 * Resolves with its path.
 */
export async function keepBackup(
  { home, version, now }: { home: string; version: number; now: number },
  write: (partial: string) => Promise<void>,
): Promise<string> {
  const { file, partial } = namesOf(home, version, now)
  try {
    await write(partial)
    finish(partial, file)
  } finally {
    removePartial(partial)
  }
  removeOld(home, now)
  return file
}

/**
 * Synchronously writes a complete, compact copy of the open store to `$home/backups/trestle-<version>-<time>.db`, for a
 * migration, and removes old backups. An incomplete copy never has such a name. Throws SqliteError (SQLITE_FULL, ...).
 */
export function takeBackup(db: Database, options: { home: string; version: number; now: number }): string {
  const { file, partial } = namesOf(options.home, options.version, options.now)
  try {
    db.prepare('VACUUM INTO ?').run(partial)
    finish(partial, file)
  } finally {
    removePartial(partial)
  }
  removeOld(options.home, options.now)
  return file
}

function namesOf(home: string, version: number, now: number): { file: string; partial: string } {
  mkdirSync(backupsFolder(home), { recursive: true, mode: 0o700 })
  const file = join(backupsFolder(home), `trestle-${version}-${timestampOf(now)}.db`)
  return { file, partial: `${file}.${process.pid}.partial` }
}

function finish(partial: string, file: string): void {
  chmodSync(partial, 0o600)
  const fd = openSync(partial, 'r+')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameOverSync(partial, file)
}

function removePartial(partial: string): void {
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(partial + ending, { force: true })
}

/** Removes old backups: keeps the newest of each day first. */
function removeOld(home: string, now: number): void {
  const backups = backupsOf(home, now)
  const days = new Set<string>()
  const [firstOfDay, others]: [Backup[], Backup[]] = [[], []]
  for (const backup of backups) {
    const day = new Date(backup.at).toDateString()
    if (days.has(day)) others.push(backup)
    else firstOfDay.push(backup)
    days.add(day)
  }
  for (const { file } of [...firstOfDay, ...others].slice(KEPT_BACKUPS)) rmSync(file, { force: true })
}

/** Removes incomplete copies whose process died. */
export function removeBrokenBackups(home: string): void {
  const folder = backupsFolder(home)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)\.partial(?:-\w+)?$/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** The newest backup that passes `isSound`. */
export function newestGoodBackup(home: string, now: number, isSound: (file: string) => boolean): Backup | undefined {
  return backupsOf(home, now).find((backup) => isSound(backup.file))
}

/** Newest first; those from the future last, because their real time is unknown. */
export function backupsOf(home: string, now: number): Backup[] {
  const folder = backupsFolder(home)
  if (!existsSync(folder)) return []
  const found: (Backup & { version: number })[] = []
  for (const name of readdirSync(folder)) {
    const match = /^trestle-(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/.exec(name)
    if (!match) continue
    const [, version, year, month, day, hour, minute, second, ms] = match
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
    const file = join(folder, name)
    // Another process may have removed it just now.
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats) found.push({ file, version: Number(version), at, bytes: stats.size })
  }
  const isAhead = ({ at }: Backup): number => Number(at > now + MAX_AHEAD_MS)
  return found.sort((a, b) => isAhead(a) - isAhead(b) || b.at - a.at || b.version - a.version)
}

/** A time for file names, e.g. `20261120T140215123Z`. */
export function timestampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}
