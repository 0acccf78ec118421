import { setImmediate as nextTurn } from 'node:timers/promises'
import { execFile } from 'node:child_process'
import { runningPids, readStat, type ProcessEntry, readProc } from './proc-files'
import { isRunning } from './process-identity'
import { shortText } from '../../../shared/cut-text'

/** Every process of the system by pid. */
export type ProcessTable = ReadonlyMap<number, ProcessEntry>

/** Yields to the event loop after this long. */
const STRETCH_MS = 6

/**
 * One scan of all processes. On Linux from /proc, newest first, because those may exit soonest; on macOS one call of
 * `ps`; on Windows from PowerShell, which takes a tenth of a second.
 */
export async function processTable(): Promise<ProcessTable> {
  if (process.platform === 'win32') return (await import('./windows-process-table')).windowsProcessTable()
  if (process.platform !== 'linux') return new Map((await listByPs()).map((entry) => [entry.pid, entry]))
  const table = new Map<number, ProcessEntry>()
  let resumed = performance.now()
  for (const pid of runningPids()) {
    const entry = readStat(pid)
    if (entry) table.set(pid, entry)
    if (performance.now() - resumed > STRETCH_MS) {
      await nextTurn()
      resumed = performance.now()
    }
  }
  return table
}

/** Whether exactly this process is still alive; a zombie is not. */
export function isStillThere({ pid, started }: ProcessEntry): boolean {
  if (process.platform === 'linux') {
    const now = readStat(pid)
    return now !== undefined && now.started === started && isAliveState(now.state)
  }
  return isRunning(pid)
}

export function isAliveState(state: string): boolean {
  return state !== 'Z' && state !== 'X'
}

/**
 * `ww`: full lines; `E`: the environment after the command line, for our own processes (not for programs that the
 * system protects).
 */
const ARGS = ['-AEww', '-o', 'pid=,ppid=,pgid=,sess=,tpgid=,stat=,rss=,time=,lstart=,command=']
const LINE =
  /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+)\s+(?<session>\S+)\s+(?<foreground>-?\d+)\s+(?<state>\S+)\s+(?<rss>\d+)\s+(?<time>\S+)\s+(?<lstart>\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(?<command>.*)$/
const TIME = /^(?:(?:(?<days>\d+)-)?(?<hours>\d+):)?(?<minutes>\d+):(?<seconds>\d+(?:\.\d+)?)$/
/** The listing does not mark where the environment starts; we assume the first ` NAME=`. */
const ENVIRONMENT = / (?=[A-Za-z_]\w*=)/
const MAX_BYTES = 64 * 1024 * 1024

/** All processes as `ps` of macOS and the BSDs lists them. */
function listByPs(): Promise<ProcessEntry[]> {
  return new Promise((resolve) => {
    const env = { ...process.env, LC_ALL: 'C' }
    // Not from PATH: who may do what is judged by this listing, and a command of an agent sets its own PATH.
    execFile('/bin/ps', ARGS, { maxBuffer: MAX_BYTES, env }, (_error, stdout) => resolve(parsePs(stdout)))
  })
}

/** Lines that cannot be parsed are skipped. */
export function parsePs(listing: string): ProcessEntry[] {
  return listing.split('\n').flatMap((line) => {
    const fields = LINE.exec(line)?.groups
    if (!fields) return []
    const { pid, parent, group, foreground, state, rss, time, lstart, command } = fields
    const environmentAt = command!.search(ENVIRONMENT)
    const ownCommand = environmentAt < 0 ? command! : command!.slice(0, environmentAt)
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      // ps prints an address or 0 as the session; the process group is used instead.
      session: 0,
      foreground: Number(foreground),
      started: Date.parse(lstart!) / 1000,
      program: 0,
      state: state![0]!,
      cpuMs: milliseconds(time!),
      memoryBytes: Number(rss) * 1024,
      name: ownCommand.split(' ')[0]!.split('/').at(-1)!,
      command: ownCommand,
      ...(environmentAt >= 0 && { environment: command!.slice(environmentAt + 1) }),
    }
  })
}

function milliseconds(time: string): number {
  const { days = 0, hours = 0, minutes = 0, seconds = 0 } = TIME.exec(time)?.groups ?? {}
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000)
}

const MAX_CHARS = 120

/** The command line of a process on one line, shortened; its name in brackets if it has none, as in ps. */
export function commandOf({ pid, command, name }: ProcessEntry): string {
  const text = Buffer.from(
    command ?? readProc(`/proc/${pid}/cmdline`),
    command === undefined ? 'latin1' : 'utf8',
  ).toString('utf8')
  // Arguments may contain line breaks and escape sequences.
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (line === '') return `[${name}]`
  return shortText(line, MAX_CHARS)
}
