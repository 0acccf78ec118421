import { statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import type { BackupsView } from '../../../../shared/configuration/app'
import { CodedError } from '../../../../shared/errors'
import { CURRENT_VERSION } from '../migrations'
import { tryLock } from '../database/store-lock'
import { backupsFolder, backupsOf, keepBackup } from './backup-files'
import { suspectMarker } from '../database/store-error'

const DAY_MS = 24 * 60 * 60 * 1000
/** A new store gets its first backup at this age, in ms. */
const FIRST_MS = 60 * 60 * 1000
/** Disk space that must stay free in addition to a backup. */
const SPARE_BYTES = 64 * 1024 * 1024
const CHECK_MS = 60_000
/** How long closing waits for a running backup, in ms. */
const CLOSE_MS = 5_000

/** Backups of the store, made while it is in use. */
export interface StoreBackups {
  view(): BackupsView
  /** Makes one now. Rejects with `store.full`, `store.busy` (another process is making one) or `store.unreadable`. */
  take(): Promise<BackupsView>
  /** Starts a backup if the newest is a day old; otherwise only reads the folder. */
  takeIfDue(): void
  /** Checks once a minute whether one is due, for long-running programs. */
  begin(): void
  /** Waits a moment for a running backup, then aborts it. */
  close(): Promise<void>
}

interface StoreBackupsDeps {
  home: string
  /** ms since the epoch. */
  now: () => number
  /** Called when a scheduled backup fails. */
  onProblem: (message: string) => void
  copy?: (input: BackupInput, signal: AbortSignal) => Promise<BackupOutcome>
}

export function createStoreBackups({ home, now, onProblem, copy = copyInThread }: StoreBackupsDeps): StoreBackups {
  const source = join(home, 'trestle.db')
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  const view = (): BackupsView => {
    const backups = backupsOf(home, now())
    const newest = backups[0]
    return {
      folder: backupsFolder(home),
      count: backups.length,
      bytes: backups.reduce((sum, { bytes }) => sum + bytes, 0),
      ...(newest && { newestAt: newest.at }),
    }
  }

  const isDue = (): boolean => {
    const newest = backupsOf(home, now())[0]
    const stats = statSync(source, { throwIfNoEntry: false })
    if (!stats) return false
    return newest ? Math.abs(now() - newest.at) > DAY_MS : now() - (stats.birthtimeMs || stats.mtimeMs) > FIRST_MS
  }

  const make = async (): Promise<void> => {
    const release = tryLock(join(home, 'trestle.db.backup-lock'))
    if (!release) throw new CodedError('store.busy', 'Another Trestle is making a backup at this moment.')
    try {
      refuseWithoutSpace(home, source)
      await keepBackup({ home, version: CURRENT_VERSION, now: now() }, async (target) => {
        const outcome = await copy({ source, target }, closing.signal)
        if (outcome.kind !== 'made') throw problemOf(outcome, home)
      })
    } finally {
      release()
    }
  }

  const take = (): Promise<void> => {
    running ??= make().finally(() => (running = undefined))
    return running
  }

  const takeDue = async (): Promise<void> => {
    try {
      if (isDue()) await take()
    } catch (error) {
      const isBusy = error instanceof CodedError && error.code === 'store.busy'
      const message = errorText(error)
      if (!isBusy && !closing.signal.aborted) onProblem(`No backup of the sessions was made: ${message}`)
    }
  }

  const takeIfDue = (): void => {
    if (!running && !closing.signal.aborted) void takeDue()
  }

  return {
    view,
    takeIfDue,
    async take() {
      await take()
      return view()
    },
    begin: () => void (timer ??= setInterval(takeIfDue, CHECK_MS).unref()),
    async close() {
      clearInterval(timer)
      const limit = setTimeout(() => closing.abort(), CLOSE_MS)
      await running?.catch(() => {})
      clearTimeout(limit)
      closing.abort()
    },
  }
}

function refuseWithoutSpace(home: string, source: string): void {
  const needed = ['', '-wal'].reduce(
    (sum, ending) => sum + (statSync(source + ending, { throwIfNoEntry: false })?.size ?? 0),
    SPARE_BYTES,
  )
  const { bavail, bsize } = statfsSync(home)
  if (bavail * bsize < needed)
    throw new CodedError('store.full', `A backup needs ${Math.ceil(needed / 1e6)} MB of free space in ${home}.`)
}

function problemOf(outcome: Exclude<BackupOutcome, { kind: 'made' }>, home: string): CodedError {
  if (outcome.kind === 'full')
    return new CodedError('store.full', `There is no space for a backup in ${home}: ${outcome.reason}`)
  if (outcome.kind === 'failed')
    return new CodedError('store.unreadable', `The store could not be copied: ${outcome.reason}`)
  writeFileSync(suspectMarker(home), '')
  return new CodedError(
    'store.unreadable',
    `The session store is damaged (${outcome.reason}). The next start of Trestle repairs it.`,
  )
}

export interface BackupInput {
  /** The store file. */
  source: string
  /** A path where no file exists. */
  target: string
}

export type BackupOutcome =
  | { kind: 'made' }
  /** The store itself is damaged. */
  | { kind: 'damaged'; reason: string }
  | { kind: 'full' | 'failed'; reason: string }

/** Copies the store in a worker thread, which is terminated when `signal` aborts. */
async function copyInThread(input: BackupInput, signal: AbortSignal): Promise<BackupOutcome> {
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(workerFile(import.meta.url), { workerData: input, env: {}, stdout: true, stderr: true })
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Promise<BackupOutcome>((resolve) => {
      const failed = (reason: string): void => resolve({ kind: 'failed', reason })
      worker.once('message', resolve)
      worker.once('error', (error) => failed(errorText(error)))
      worker.once('exit', () => failed('It was stopped.'))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * When run from sources, it is next to this file; in the built program, next to the entries, and this code is in an
 * entry or a chunk.
 */
function workerFile(here: string): URL {
  if (here.endsWith('.ts')) return new URL('./backup-worker.ts', here)
  return new URL(here.includes('/chunks/') ? '../backup-worker.js' : './backup-worker.js', here)
}
