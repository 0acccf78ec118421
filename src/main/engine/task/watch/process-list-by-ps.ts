import { execFile } from 'node:child_process'
import type { ProcessEntry } from './process-entry'

/** `ww`: whole lines; `E`: the environment behind the command line, for processes of our own (not for programs that the system protects). */
const ARGS = ['-AEww', '-o', 'pid=,ppid=,pgid=,sess=,tpgid=,stat=,rss=,time=,lstart=,command=']
const LINE =
  /^\s*(?<pid>\d+)\s+(?<parent>\d+)\s+(?<group>\d+)\s+(?<session>\S+)\s+(?<foreground>-?\d+)\s+(?<state>\S+)\s+(?<rss>\d+)\s+(?<time>\S+)\s+(?<lstart>\w{3}\s+\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(?<command>.*)$/
const TIME = /^(?:(?:(?<days>\d+)-)?(?<hours>\d+):)?(?<minutes>\d+):(?<seconds>\d+(?:\.\d+)?)$/
/** Where the environment begins is not marked; no command line has these of its own. */
const ENVIRONMENT = / (?=[A-Za-z_]\w*=)/
const MOST_BYTES = 64 * 1024 * 1024

/** All processes as `ps` of macOS and the BSDs lists them. */
export function processListByPs(): Promise<ProcessEntry[]> {
  return new Promise((resolve) => {
    const env = { ...process.env, LC_ALL: 'C' }
    execFile('ps', ARGS, { maxBuffer: MOST_BYTES, env }, (_error, stdout) => resolve(entriesOf(stdout)))
  })
}

/** Lines that cannot be read are left out. */
export function entriesOf(listing: string): ProcessEntry[] {
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
      // Its number for sessions is an address, or 0: the group has to do.
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
