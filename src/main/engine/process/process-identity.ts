import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { execFile } from 'node:child_process'
import { errorCode } from '../../../shared/error-text'

/** Whether a process with this id exists, including processes of other users and zombies. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** How long the list stays fresh, in ms; afterwards it is read again while the old values are returned. */
const FRESH_MS = 2000

/**
 * Start times of this machine's processes, for systems without /proc. They come from a program, so lookups never wait
 * for it: a start time may be unknown at first.
 */
export class ProcessStartTimes {
  readonly #list: () => Promise<Map<number, number>>
  readonly #now: () => number
  #known: Map<number, number> | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(list: () => Promise<Map<number, number>> = listByPs, now: () => number = Date.now) {
    this.#list = list
    this.#now = now
  }

  /** Seconds since the epoch; undefined if unknown, which starts a read. */
  startOf(pid: number): number | undefined {
    if (this.#now() - this.#readAt > FRESH_MS) void this.read()
    return this.#known?.get(pid)
  }

  /** Reads the list for `startOf`. Never rejects: on failure, start times stay unknown. */
  read(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNow(): Promise<void> {
    try {
      this.#known = await this.#list()
    } catch {
      // Unknown, see the docstring.
    }
    this.#readAt = this.#now()
  }
}

function listByPs(): Promise<Map<number, number>> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, LC_ALL: 'C' }, timeout: 10_000, maxBuffer: 16 << 20 }
    execFile('ps', ['-axo', 'pid=,lstart='], options, (error, printed) => {
      if (error) reject(error)
      else resolve(parsed(printed))
    })
  })
}

/** Lines like `  123 Sun Nov 22 10:00:00 2026`. */
function parsed(printed: string): Map<number, number> {
  return new Map(
    printed.split('\n').flatMap((line): [number, number][] => {
      const match = /^\s*(\d+)\s+(\S.*)$/.exec(line)
      const seconds = match ? Date.parse(match[2]!.trim()) / 1000 : Number.NaN
      return Number.isNaN(seconds) ? [] : [[Number(match![1]), seconds]]
    }),
  )
}

/** The holder of a lease: enough to tell later whether exactly that process still lives. */
export interface ProcessIdentity {
  pid: number
  host: string
  /**
   * The boot and pid namespace: pids are comparable only within the same one. Parts are empty if the system does not
   * report them.
   */
  machine: string
  /** Distinguishes a process from a later one with the same pid; empty if the system does not say. */
  started: string
}

/** A holder whose process cannot be inspected counts as dead after this long without a heartbeat. */
export const STALE_MS = 45_000

let machine: string | undefined
const starts = new ProcessStartTimes()

/** Reads start times in advance where that takes a program, so that `isAlive` does not have to wait. */
export async function prepareIdentities(): Promise<void> {
  if (process.platform !== 'linux' && process.platform !== 'win32') await starts.read()
}

/** This process (or, in tests, another one on this machine). */
export function identityOf(pid: number): ProcessIdentity {
  machine ??= `${readText('/proc/sys/kernel/random/boot_id')}|${readLink('/proc/self/ns/pid')}`
  return { pid, host: hostname(), machine, started: startOf(pid) }
}

/**
 * Whether the process `holder` is alive, as seen by `self`. Pids are reused, so the start time has to match. A holder
 * on another machine or in another container cannot be inspected; then the age of its heartbeat decides.
 */
export function isAlive(holder: ProcessIdentity, heartbeatAgeMs: number, self: ProcessIdentity): boolean {
  if (holder.host !== self.host || holder.machine !== self.machine) {
    return !rebootedSince(holder, self) && heartbeatAgeMs < STALE_MS
  }
  if (holder.pid === self.pid && holder.started === self.started) return true
  const state = stateOf(holder.pid)
  if (state === 'gone') return false
  if (process.platform === 'linux' && state !== 'unknown') return state === holder.started
  if (!isRunning(holder.pid)) return false
  if (process.platform === 'win32') return heartbeatAgeMs < STALE_MS
  // Unknown: it is better to report a session as busy for a moment than to take it from a live process.
  const start = starts.startOf(holder.pid)
  return start === undefined || Math.abs(start - Number(holder.started)) <= 3
}

/**
 * Whether it is the same computer (same name, same outermost pid namespace) after a reboot: no earlier process can
 * still run.
 */
function rebootedSince(holder: ProcessIdentity, self: ProcessIdentity): boolean {
  const [bootThen, spaceThen] = holder.machine.split('|')
  const [bootNow, spaceNow] = self.machine.split('|')
  return (
    holder.host === self.host && spaceThen === spaceNow && Boolean(bootThen) && Boolean(bootNow) && bootThen !== bootNow
  )
}

/** In clock ticks since boot on Linux, in seconds since the epoch elsewhere. */
function startOf(pid: number): string {
  const state = stateOf(pid)
  if (state !== 'unknown') return state === 'gone' ? '' : state
  return pid === process.pid ? String(Math.round(performance.timeOrigin / 1000)) : ''
}

/** The start time from /proc; `gone` also for a zombie, which runs nothing; `unknown` without /proc. */
function stateOf(pid: number): string {
  if (process.platform !== 'linux') return 'unknown'
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === '') return readText('/proc/self/stat') === '' ? 'unknown' : 'gone'
  // The name in parentheses may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? '')
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}
