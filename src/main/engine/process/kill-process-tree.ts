import { execFile, type ChildProcess } from 'node:child_process'
import { win32 } from 'node:path'
import { killProcesses } from './kill-processes'
import type { ProcessEntry } from './proc-files'
import { commandOf, isAliveState, processTable, type ProcessTable } from './process-table'
import type { Subreaper } from './shell-process'

/** Whom to stop. */
export interface ProcessTreeToKill {
  /** What carries its mark is stopped wherever it went. */
  taskId: string
  /** The process that began the session. */
  shellPid: number
  /** Whether the leader only waits for the command: it then ends by itself, with the command's exit code. */
  shellOnlyWaits: boolean
  /** Whether the leader has exited: its number may be somebody else's by now. */
  isShellGone: () => boolean
  /** Process groups known so far, the leader's left out. */
  groups: () => readonly number[]
  /** What is below it is stopped, too. */
  subreaper?: () => Subreaper | undefined
}

/** How often the leader may be found alone before it is asked to end, too. */
const ROUNDS_ALONE = 5

/**
 * SIGTERM to the whole session and to all that carries the task's mark, SIGKILL to what is left after `graceMs`. Resolves when nothing is
 * left. Many stops at once are cheap: they share one search.
 */
export async function killProcessTree(
  { taskId, shellPid, shellOnlyWaits, isShellGone, groups, subreaper }: ProcessTreeToKill,
  graceMs: number,
): Promise<void> {
  // At once, before anything is looked up.
  const asked = isShellGone() ? [] : shellOnlyWaits ? groups() : [...groups(), shellPid]
  for (const group of asked) signalGroup(group, 'SIGTERM')
  let roundsAlone = 0
  await killProcesses(
    {
      asked,
      isMine: (mark) => mark.taskId === taskId,
      find: ({ table, byTask }) => {
        const marked = (byTask.get(taskId) ?? []).map(({ entry }) => entry)
        const session = isShellGone() && table.has(shellPid) ? [] : inSession(table, shellPid, groups())
        return [...new Set<ProcessEntry>([...marked, ...session, ...descendantsOf(table, subreaper?.())])]
      },
      // It is spared as long as it waits for somebody, and for a moment afterwards: it is about to end with the command's exit code.
      spare: (left) => {
        roundsAlone = left.some(({ pid }) => pid !== shellPid) ? 0 : roundsAlone + 1
        return shellOnlyWaits && roundsAlone < ROUNDS_ALONE ? left.find(({ pid }) => pid === shellPid) : undefined
      },
    },
    graceMs,
  )
}

/** A process of Windows that was started for a task, a hook or a server. */
export interface WindowsProcessTree {
  /** The mark of all that it starts. */
  taskId: string
  rootPid: number
  /** Its number may be somebody else's by then. */
  isRootGone: () => boolean
}

/**
 * Ends a process of Windows with all that it started, found by parents, by the families of Git Bash, and by when each began. Windows has no gentle way to
 * end a program that has no console: what has one is asked before.
 */
export async function killWindowsProcessTree(
  { taskId, rootPid, isRootGone }: WindowsProcessTree,
  graceMs: number,
): Promise<void> {
  await killProcessTree(
    { taskId, shellPid: rootPid, shellOnlyWaits: false, isShellGone: isRootGone, groups: () => [] },
    graceMs,
  )
  // Where processes cannot be listed, and only while it runs.
  if (!isRootGone()) await taskkill(rootPid)
}

function taskkill(pid: number): Promise<void> {
  const program = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  return new Promise((resolve) => {
    execFile(program, ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve())
  })
}

/** A living process of one command. */
export interface SessionProcess {
  pid: number
  group: number
  /** Its command line, shortened. */
  command: string
}

/**
 * Everything alive in the session that `leader` began, the leader included, whatever process groups it is spread over, and what is below `keeper`, whatever session it has made
 * for itself.
 */
export async function sessionProcesses(
  leader: number,
  groups: readonly number[],
  keeper?: Subreaper,
): Promise<SessionProcess[]> {
  const table = await processTable()
  return [...new Set([...inSession(table, leader, groups), ...descendantsOf(table, keeper)])].map((entry) => ({
    pid: entry.pid,
    group: entry.group,
    command: commandOf(entry),
  }))
}

/** The same in a table. Where the system does not tell sessions (anything but Linux): the descendants of the leader and the members of `groups`. */
export function inSession(table: ProcessTable, leader: number, groups: readonly number[]): ProcessEntry[] {
  if (process.platform === 'linux') return [...(bySession(table).get(leader) ?? [])]
  return descendantsAndGroups(table, leader, groups)
}

/** The living descendants of `leader`, itself included, and the members of its group and of `groups`. */
export function descendantsAndGroups(
  table: ProcessTable,
  leader: number,
  groups: readonly number[] = [],
): ProcessEntry[] {
  const all = [...table.values()].filter(({ state }) => isAliveState(state))
  const found = new Set([leader])
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { pid, parent, group } of all)
      if (found.has(parent) || group === leader || groups.includes(group)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

/** Everything alive below that very process. */
function descendantsOf(table: ProcessTable, keeper: Subreaper | undefined): ProcessEntry[] {
  if (!keeper || table.get(keeper.pid)?.started !== keeper.started) return []
  const known = children.get(table) ?? Map.groupBy(table.values(), ({ parent }) => parent)
  children.set(table, known)
  const found: ProcessEntry[] = []
  const parents = [keeper.pid]
  for (const parent of parents) {
    // A table taken while processes come and go may have rings in it.
    for (const entry of known.get(parent) ?? []) {
      if (parents.includes(entry.pid)) continue
      parents.push(entry.pid)
      if (isAliveState(entry.state)) found.push(entry)
    }
  }
  return found
}

const children = new WeakMap<ProcessTable, Map<number, ProcessEntry[]>>()
const sessions = new WeakMap<ProcessTable, Map<number, ProcessEntry[]>>()

/** Hundreds of commands may be stopped with one table, so it is sorted once. */
function bySession(table: ProcessTable): Map<number, ProcessEntry[]> {
  const known = sessions.get(table)
  if (known) return known
  const sorted = new Map<number, ProcessEntry[]>()
  for (const entry of table.values()) {
    if (!isAliveState(entry.state)) continue
    const others = sorted.get(entry.session)
    if (others) others.push(entry)
    else sorted.set(entry.session, [entry])
  }
  sessions.set(table, sorted)
  return sorted
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
