import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'

/** One buffer for all files; its content is not kept between calls. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024)

/** Length of a clock tick in /proc: the kernel reports hundredths of a second on every architecture. */
const TICK_MS = 10

/** Flag of the kernel's own threads. */
const KERNEL_THREAD = 0x200000
/** Flag of an exiting process: its program no longer runs, and its files may already be closed. */
const EXITING = 0x4

let pageBytes: number | undefined

/** Pids of all processes, the newest first. */
export function runningPids(): number[] {
  const pids: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 0x30 && first <= 0x39) pids.push(Number(name))
  }
  return pids.toSorted((a, b) => b - a)
}

/** The content of /proc/<pid>/stat; undefined if the process has ended, and for kernel threads. */
export function readStat(pid: number): ProcessEntry | undefined {
  const text = readProc(`/proc/${pid}/stat`)
  // The name in parentheses may itself contain parentheses.
  const nameEnd = text.lastIndexOf(')')
  if (nameEnd < 0) return undefined
  const fields = text.slice(nameEnd + 2).split(' ')
  const number = (index: number): number => Number(fields[index])
  if (number(6) & KERNEL_THREAD) return undefined
  return {
    pid,
    parent: number(1),
    group: number(2),
    session: number(3),
    foreground: number(5),
    started: number(19),
    // The start address of its stack: random for each executed program.
    program: number(25),
    state: fields[0]!,
    cpuMs: (number(11) + number(12)) * TICK_MS,
    memoryBytes: number(21) * (pageBytes ??= bytesOfPage()),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    ...((number(6) & EXITING) !== 0 && { isExiting: true }),
  }
}

/** Start time in ms since the epoch, from the `started` of /proc. */
export function startTime(started: number): number {
  const uptimeMs = Number(readProc('/proc/uptime').split(' ')[0]) * 1000
  return Math.round(Date.now() - uptimeMs + started * TICK_MS)
}

/** The text of a file in /proc; '' if it is missing or not readable. */
export function readProc(path: string): string {
  return readBytes(path)?.toString('latin1') ?? ''
}

/** The whole file as bytes, valid only until the next call; undefined if it is missing or not readable. */
export function readBytes(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    let length = 0
    while (length < buffer.length) {
      const count = readSync(file, buffer, length, buffer.length - length, null)
      if (count === 0) return buffer.subarray(0, length)
      length += count
      // A small file of /proc is read in one call.
      if (length < 2048) return buffer.subarray(0, length)
    }
    return readFileSync(path)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The target of an entry of /proc/<pid>/fd; '' if it is missing or not readable. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Names in a folder of /proc; empty if it is missing or not readable. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** The page size in bytes, computed from our own memory in pages and in bytes. */
function bytesOfPage(): number {
  const pages = Number(readProc('/proc/self/statm').split(' ')[1])
  const ratio = process.memoryUsage.rss() / pages
  return ratio > 0 && Number.isFinite(ratio) ? 2 ** Math.round(Math.log2(ratio)) : 4096
}

/** One process at the time of the scan. */
export interface ProcessEntry {
  pid: number
  parent: number
  /** Process group and session. */
  group: number
  session: number
  /** The foreground process group of its terminal; -1 without one. */
  foreground: number
  /** When it started, in a unit of the platform. With `pid` it identifies a process even if the pid is reused. */
  started: number
  /** Changes when it executes another program; 0 if unknown. */
  program: number
  /** The state letter of ps: R runs, S sleeps, D waits for a disk, T is stopped, Z has ended. */
  state: string
  /**
   * It is exiting but still has its old state: on a busy machine, it can take a long time from closing its files to
   * becoming a zombie. Linux only.
   */
  isExiting?: boolean
  /** Processor time used so far. */
  cpuMs: number
  /** Resident memory; shared pages count in each process. */
  memoryBytes: number
  /** Name of its executable. */
  name: string
  /** Its command line, if the process list includes it; see `commandOf`. */
  command?: string
  /** Its `NAME=value` pairs, if the process list includes them. */
  environment?: string
}
