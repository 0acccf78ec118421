import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs'

/** One buffer for all files: nothing is kept of it between two calls. */
const buffer = Buffer.allocUnsafeSlow(64 * 1024)

/** Clock ticks of /proc; the kernel tells them to programs in hundredths of a second on every machine there is. */
const TICK_MS = 10

/** Set in the flags of the kernel's own threads. */
const KERNEL_THREAD = 0x200000

let pageBytes: number | undefined

/** Processes that are there, the newest first. */
export function runningPids(): number[] {
  const pids: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 0x30 && first <= 0x39) pids.push(Number(name))
  }
  return pids.toSorted((a, b) => b - a)
}

/** What /proc/<pid>/stat says; undefined when it has ended, and for the kernel's own threads. */
export function readStat(pid: number): ProcessEntry | undefined {
  const text = readProc(`/proc/${pid}/stat`)
  // The name in parentheses may hold anything, parentheses too.
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
    // Where its stack begins: chosen anew for each program.
    program: number(25),
    state: fields[0]!,
    cpuMs: (number(11) + number(12)) * TICK_MS,
    memoryBytes: number(21) * (pageBytes ??= bytesOfPage()),
    name: text.slice(text.indexOf('(') + 1, nameEnd),
  }
}

/** Ms since the epoch when a process began that /proc says began at `started`. */
export function startTime(started: number): number {
  const uptimeMs = Number(readProc('/proc/uptime').split(' ')[0]) * 1000
  return Math.round(Date.now() - uptimeMs + started * TICK_MS)
}

/** '' for what is not there, or not ours to read. */
export function readProc(path: string): string {
  return readBytes(path)?.toString('latin1') ?? ''
}

/** The whole of a file as bytes, only valid until the next call; undefined for what is not there, or not ours to read. */
export function readBytes(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    let length = 0
    while (length < buffer.length) {
      const count = readSync(file, buffer, length, buffer.length - length, null)
      if (count === 0) return buffer.subarray(0, length)
      length += count
      // A small file of /proc comes in one piece.
      if (length < 2048) return buffer.subarray(0, length)
    }
    return readFileSync(path)
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** What an entry of /proc/<pid>/fd is; '' when it is gone, or not ours to see. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Names in a folder of /proc; none when it is gone, or not ours to see. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Our own memory once in pages and once in bytes. */
function bytesOfPage(): number {
  const pages = Number(readProc('/proc/self/statm').split(' ')[1])
  const ratio = process.memoryUsage.rss() / pages
  return ratio > 0 && Number.isFinite(ratio) ? 2 ** Math.round(Math.log2(ratio)) : 4096
}

/** One process as it was when it was looked at. */
export interface ProcessEntry {
  pid: number
  parent: number
  /** Process group and session. */
  group: number
  session: number
  /** The foreground process group of its terminal; -1 without one. */
  foreground: number
  /** When it began, in a unit of the system's own. With `pid` it tells a process from a later one of the same number. */
  started: number
  /** Changes when it becomes another program; 0 where the system does not tell. */
  program: number
  /** The letter of ps: R runs, S sleeps, D waits for a disk, T is stopped, Z has ended. */
  state: string
  /** Processor time used so far. */
  cpuMs: number
  /** Resident memory; pages shared with others count in each. */
  memoryBytes: number
  /** Name of its program. */
  name: string
  /** Where the list of processes has it; see `commandOf`. */
  command?: string
  /** Where the list of processes has it: `NAME=value` pairs. */
  environment?: string
}
