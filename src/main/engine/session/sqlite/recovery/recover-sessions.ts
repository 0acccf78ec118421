import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../../shared/model/errors'
import { backupsOf } from '../backup/backup-files'
import type { Database } from '../database'
import type { Leases } from '../lease'
import { mergeStore, type Merged } from './merge-store'
import { rebuildStore, type Recovered } from './rebuild-store'
import { openRows, removedIds } from './store-rows'

/** What `trestle session recover` did. */
export interface RecoveryReport {
  /** What was read, the one that counts most first. */
  files: string[]
  /** What they hold together. */
  found: Recovered
  merged: Merged
}

/**
 * Brings sessions of a damaged store or a backup into the open store, without changing what is there. `file`: everything that it holds, also sessions that were
 * removed since. Without it: every damaged file that was kept in this home, and the newest backup, without what was removed.
 */
export function recoverSessions(db: Database, { home, file, leases }: { home: string; file?: string; leases: Leases }): RecoveryReport {
  const files = file === undefined ? keptFiles(home) : [givenFile(home, file)]
  const rebuilt = join(home, `trestle.db.recovering-${process.pid}`)
  const sources = files.map((source) => openRows(source))
  try {
    rmSync(rebuilt, { force: true })
    const removed = file === undefined ? removedIds(db) : new Set<string>()
    const found = rebuildStore(rebuilt, sources, { withRemoved: file !== undefined, removed })
    return { files, found, merged: mergeStore(db, rebuilt, leases) }
  } finally {
    for (const source of sources) source.close()
    for (const ending of ['', '-journal']) rmSync(rebuilt + ending, { force: true })
  }
}

/** Newest first: their names end with a time. */
function keptFiles(home: string): string[] {
  const damaged = readdirSync(home)
    .filter((name) => /^trestle\.db\.damaged-[^-]+(-\d+)?$/.test(name))
    .toSorted()
    .toReversed()
    .map((name) => join(home, name))
  const files = [
    ...damaged,
    ...backupsOf(home)
      .slice(0, 1)
      .map((backup) => backup.file),
  ]
  if (files.length === 0)
    throw new CodedError('request.invalid', `There is no damaged store and no backup in ${home}. Name a file to recover from.`)
  return files
}

function givenFile(home: string, file: string): string {
  if (!existsSync(file)) throw new CodedError('request.invalid', `There is no file ${file}. Backups are in ${join(home, 'backups')}.`)
  const real = realpathSync(file)
  if (real === realpathSync(join(home, 'trestle.db'))) throw new CodedError('request.invalid', `${file} is the store that is in use.`)
  return real
}
