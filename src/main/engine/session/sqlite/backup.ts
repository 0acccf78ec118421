import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from './database'

/** How many backups are kept. */
const KEPT = 5

interface Backup {
  file: string
  /** ms since the epoch. */
  at: number
}

/**
 * Writes a complete, compact copy of the open store to `$home/backups/trestle-<version>-<time>.db` and removes all but the newest five.
 * A copy that broke off never bears such a name. Throws SqliteError (SQLITE_FULL, ...).
 */
export function takeBackup(db: Database, options: { home: string; version: number; now: number }): string {
  const folder = join(options.home, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `trestle-${options.version}-${stampOf(options.now)}.db`)
  const partial = `${file}.${process.pid}.partial`
  try {
    db.prepare('VACUUM INTO ?').run(partial)
    chmodSync(partial, 0o600)
    const fd = openSync(partial, 'r+')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(partial, file)
  } finally {
    rmSync(partial, { force: true })
  }
  for (const old of backupsOf(options.home).slice(KEPT)) rmSync(old.file, { force: true })
  return file
}

/** Removes copies that broke off because their process died. */
export function removeBrokenBackups(home: string): void {
  const folder = join(home, 'backups')
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)\.partial$/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The newest backup that passes `isSound`. */
export function newestGoodBackup(home: string, isSound: (file: string) => boolean): Backup | undefined {
  return backupsOf(home).find((backup) => isSound(backup.file))
}

/** Newest first. */
export function backupsOf(home: string): Backup[] {
  const folder = join(home, 'backups')
  if (!existsSync(folder)) return []
  const found: (Backup & { version: number })[] = []
  for (const name of readdirSync(folder)) {
    const match = /^trestle-(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.db$/.exec(name)
    if (!match) continue
    const [, version, year, month, day, hour, minute, second, ms] = match
    const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
    found.push({ file: join(folder, name), version: Number(version), at })
  }
  return found.sort((a, b) => b.at - a.at || b.version - a.version)
}

/** A time as it stands in file names, e.g. `20261120T140215123Z`. */
export function stampOf(now: number): string {
  return new Date(now).toISOString().replace(/[-:.]/g, '')
}
