import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { identityOf, isAlive, type ProcessIdentity } from '../../process/process-identity'
import { errorCode } from '../../../../shared/error-text'

/** Maximum age of a lock: the work under it has shorter timeouts. */
const MAX_HELD_MS = 120_000

/**
 * Runs `work` while the lock `file` has no other holder in this or another process on this machine. The lock of a dead
 * process is taken over. Rejects with the errors of `work`, and if `signal` aborts the wait.
 */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result> | Result,
  signal?: AbortSignal,
): Promise<Result> {
  // Different each time the lock is taken, even by this process.
  const mine = JSON.stringify({ ...identityOf(process.pid), nonce: randomBytes(8).toString('hex') })
  while (!acquire(file, mine)) await wait(20 + Math.random() * 40, undefined, signal && { signal })
  try {
    return await work()
  } finally {
    if (read(file) === mine) rmSync(file, { force: true })
  }
}

function acquire(file: string, mine: string): boolean {
  try {
    writeFileSync(file, mine, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    removeStaleLock(file)
    return false
  }
}

function removeStaleLock(file: string): void {
  const held = read(file)
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (held === undefined || !isStale(held, age)) return
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(file, aside)
    // Another process was faster, and this is its new lock, so restore it.
    if (read(aside) !== held) linkSync(aside, file)
  } catch {
    // Released in the meantime; the next attempt checks again.
  }
  rmSync(aside, { force: true })
}

function isStale(held: string, age: number): boolean {
  if (age > MAX_HELD_MS) return true
  try {
    return !isAlive(JSON.parse(held) as ProcessIdentity, age, identityOf(process.pid))
  } catch {
    // It is being written right now, or is damaged.
    return age > 5_000
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
