import { execFile, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A living process of one command. */
export interface SessionProcess {
  pid: number
  group: number
  /** Its command line, shortened. */
  command: string
}

/** Processes looked at before others get a turn: a machine can have many thousands. */
const BATCH = 200

/**
 * Everything alive in the session that `leader` began, the leader included, whatever process groups it is spread over. Where the system does
 * not tell sessions (anything but Linux): the descendants of the leader and the members of `groups`.
 */
export async function sessionProcesses(leader: number, groups: readonly number[]): Promise<SessionProcess[]> {
  return process.platform === 'linux' ? fromProc(leader) : fromPs(leader, groups)
}

async function fromProc(leader: number): Promise<SessionProcess[]> {
  const found: SessionProcess[] = []
  let looked = 0
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    if (++looked % BATCH === 0) await nextTurn()
    const stat = read(`/proc/${pid}/stat`)
    // The name in parentheses may hold anything, parentheses too.
    const [state, , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(session) !== leader || state === 'Z' || state === 'X') continue
    found.push({ pid, group: Number(group), command: commandLine(read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')) })
  }
  return found
}

/** '' for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

async function fromPs(leader: number, groups: readonly number[]): Promise<SessionProcess[]> {
  const listing = await new Promise<string>((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,command='], { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => resolve(stdout))
  })
  const all = listing.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s*(.*)$/.exec(line)
    return match && !match[4]!.startsWith('Z')
      ? [{ pid: Number(match[1]), parent: Number(match[2]), group: Number(match[3]), command: commandLine(match[5]!) }]
      : []
  })
  const ours = new Set([leader])
  for (let before = -1; before !== ours.size;) {
    before = ours.size
    for (const { pid, parent, group } of all) if (ours.has(parent) || group === leader || groups.includes(group)) ours.add(pid)
  }
  return all.filter(({ pid }) => ours.has(pid)).map(({ pid, group, command }) => ({ pid, group, command }))
}

function commandLine(text: string): string {
  const line = text.trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** Sends a signal to a process group. False: there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and 1 would reach our own group and everybody.
  if (group <= 1) return false
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    // Forbidden means: there, but (no longer) ours to signal.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether our child has ended and its end was noticed; its number can belong to somebody else from then on. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
