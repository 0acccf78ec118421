import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { identityOf, isAlive, type ProcessIdentity } from '../../process/process-identity'
import { errorCode } from '../../../../shared/error-text'

/**
 * A lock without a readable holder is being written, or was left by a process that died while writing. Stale after this
 * time, in ms.
 */
const UNREADABLE_STALE_MS = 5_000

/** Acquires the lock `file` unless a live process has it; returns the function that releases it. */
export function tryLock(file: string): (() => void) | undefined {
  for (let attempt = 1; ; attempt += 1) {
    try {
      writeFileSync(file, JSON.stringify(identityOf(process.pid)), { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
      if (attempt === 3 || !removeStale(file)) return undefined
    }
  }
}

/**
 * Removes a lock whose process is dead; false when it is held, or another process is removing it. Only one process may,
 * because a second one could remove the lock that is acquired right after.
 */
function removeStale(file: string): boolean {
  const found = stampOf(file)
  if (found === undefined) return true
  if (isHeld(file)) return false
  const claim = `${file}.stale`
  try {
    writeFileSync(claim, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    if (ageOf(claim) >= UNREADABLE_STALE_MS) rmSync(claim, { force: true })
    return false
  }
  try {
    if (stampOf(file) === found) rmSync(file, { force: true })
  } finally {
    rmSync(claim, { force: true })
  }
  return true
}

/** Differs between two locks; undefined when the file is missing. */
function stampOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(' ')
}

/** In ms. A time in the future counts like one in the past. */
function ageOf(file: string): number {
  return Math.abs(Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0))
}

/** Runs `work` with the lock, after waiting for it. The caller must check again whether `work` is still needed. */
export function withLock<T>(file: string, work: () => T): T {
  for (;;) {
    const release = tryLock(file)
    if (release) {
      try {
        return work()
      } finally {
        release()
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
}

function isHeld(file: string): boolean {
  const age = ageOf(file)
  try {
    return isAlive(JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity, age, identityOf(process.pid))
  } catch {
    return age < UNREADABLE_STALE_MS
  }
}
