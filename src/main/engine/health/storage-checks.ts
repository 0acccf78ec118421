import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, failureOf } from '../../../shared/errors'
import type { HealthCheck } from '../../../shared/configuration/app'
import { resolveHome } from '../config/home'
import { errorCode } from '../../../shared/error-text'

const MB = 1024 * 1024
const GB = 1024 * MB
/** With less free space, writing sessions and logs may soon fail. */
const LITTLE_BYTES = 200 * MB
const DAY_MS = 24 * 60 * 60 * 1000

/** Checks the home folder, and creates it if it is missing; nothing else can be checked without it. */
export function checkHome(): { check: HealthCheck; home?: string } {
  const about = { id: 'home', title: 'Home folder' }
  try {
    const home = resolveHome()
    return { check: { ...about, status: 'ok', detail: home }, home }
  } catch (error) {
    const { message, advice } = failureOf(error)
    return { check: { ...about, status: 'failed', detail: message, remedy: advice } }
  }
}

/** Whether the home folder's disk is writable, and how much space is free. */
export function checkDisk(home: string): HealthCheck {
  const about = { id: 'disk', title: 'Disk space' }
  const remedy = `Free some space on the disk that holds ${home}.`
  const probe = join(home, `.doctor-${randomBytes(4).toString('hex')}`)
  try {
    const { bavail, bsize } = statfsSync(home)
    const free = bavail * bsize
    writeFileSync(probe, Buffer.alloc(64 * 1024), { mode: 0o600 })
    const detail = free >= 10 * GB ? `${Math.floor(free / GB)} GB free.` : `${Math.floor(free / MB)} MB free.`
    return free < LITTLE_BYTES
      ? { ...about, status: 'warning', detail: `Only ${detail}`, remedy }
      : { ...about, status: 'ok', detail }
  } catch (error) {
    const code = errorCode(error)
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    const detail = isFull
      ? `The disk that holds ${home} is full.`
      : `Nothing can be written to ${home}: ${failureOf(error).message}`
    return {
      ...about,
      status: 'failed',
      detail,
      remedy: isFull ? remedy : 'Make the folder writable, or set TRESTLE_HOME to one that is.',
    }
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Whether the session store can be read. Changes nothing. */
export async function checkDatabase(home: string): Promise<HealthCheck> {
  const about = { id: 'database', title: 'Session store' }
  if (!existsSync(join(home, 'trestle.db'))) return { ...about, status: 'ok', detail: 'There are no sessions yet.' }
  try {
    const { inspectStore } = await import('../store/open/inspect-store')
    return { ...about, status: 'ok', detail: inspectStore(home) }
  } catch (error) {
    const { code } = error instanceof CodedError ? error : { code: undefined }
    if (code === 'store.busy' || code === 'store.too_new') {
      const { message, advice } = failureOf(error)
      return { ...about, status: 'failed', detail: message, remedy: advice }
    }
    return {
      ...about,
      status: 'failed',
      detail: `${join(home, 'trestle.db')} is damaged: ${failureOf(error).message}`,
      remedy:
        'Start Trestle: it keeps the damaged file, ' +
        'and restores what can be read from it and from the newest backup. See also: trestle session recover.',
    }
  }
}

/**
 * Whether the clock seems right: files in the home folder must not be from the future. A wrong clock breaks encrypted
 * connections.
 */
export function checkClock(home: string, now: number): HealthCheck {
  const about = { id: 'clock', title: 'Clock' }
  const newest = Math.max(
    0,
    ...readdirSync(home).map((name) => statSync(join(home, name), { throwIfNoEntry: false })?.mtimeMs ?? 0),
  )
  const time = new Date(now).toISOString()
  if (newest < now + DAY_MS) return { ...about, status: 'ok', detail: time }
  return {
    ...about,
    status: 'failed',
    detail: `The clock says ${time}, but files in ${home} are from ${new Date(newest).toISOString()}.`,
    remedy:
      'Set the date and time of this computer. With a wrong clock, certificates count as expired or as not yet valid.',
  }
}
