import { execFile, type ChildProcess } from 'node:child_process'
import { win32 } from 'node:path'
import { killProcesses } from './kill-processes'
import type { ProcessEntry } from '../proc-files'
import { commandOf, isAliveState, processTable, type ProcessTable } from '../process-table'
import type { Subreaper } from '../shell-process'
import { errorCode } from '../../../../shared/error-text'

/** What to stop. */
export interface ProcessTreeToKill {
  /** Every process with this task's tag is stopped, wherever it moved. */
  taskId: string
  /** The shell that leads the session. */
  shellPid: number
  /** Whether the shell only waits for the command: it then exits on its own, with the command's exit code. */
  shellOnlyWaits: boolean
  /** Whether the shell has exited; its pid may have been reused since. */
  isShellGone: () => boolean
  /** Process groups known so far, without the shell's. */
  groups: () => readonly number[]
  /** Its descendants are stopped, too. */
  subreaper?: () => Subreaper | undefined
}

/** How many polls in a row may find only the shell before it is sent SIGTERM, too. */
const ROUNDS_ALONE = 5

/**
 * Kills a process tree: sends SIGTERM to the whole session and to everything with the task's tag, and SIGKILL to what
 * is left after `graceMs`. Resolves when nothing is left. Concurrent stops are cheap: they share one scan.
 */
export async function killProcessTree(
  { taskId, shellPid, shellOnlyWaits, isShellGone, groups, subreaper }: ProcessTreeToKill,
  graceMs: number,
): Promise<void> {
  // Right away, before the first scan.
  const asked = isShellGone() ? [] : shellOnlyWaits ? groups() : [...groups(), shellPid]
  for (const group of asked) signalGroup(group, 'SIGTERM')
  let roundsAlone = 0
  await killProcesses(
    {
      asked,
      isMine: (tag) => tag.taskId === taskId,
      find: ({ table, byTask }) => {
        const marked = (byTask.get(taskId) ?? []).map(({ entry }) => entry)
        const session = isShellGone() && table.has(shellPid) ? [] : inSession(table, shellPid, groups())
        return [...new Set<ProcessEntry>([...marked, ...session, ...descendantsOf(table, subreaper?.())])]
      },
      // The shell is spared while it waits for other processes, and briefly afterwards: it is about to exit with the
      // command's exit code.
      spare: (left) => {
        roundsAlone = left.some(({ pid }) => pid !== shellPid) ? 0 : roundsAlone + 1
        return shellOnlyWaits && roundsAlone < ROUNDS_ALONE ? left.find(({ pid }) => pid === shellPid) : undefined
      },
    },
    graceMs,
  )
}

/** A Windows process that was started for a task, a hook or a server. */
export interface WindowsProcessTree {
  /** The tag of everything it starts. */
  taskId: string
  rootPid: number
  /** Whether it has exited; its pid may have been reused since. */
  isRootGone: () => boolean
}

/**
 * Ends a Windows process with everything it started, found by parent, by Git Bash group, and by start time. Windows
 * cannot gently end a program without a console; programs with a console are asked first.
 */
export async function killWindowsProcessTree(
  { taskId, rootPid, isRootGone }: WindowsProcessTree,
  graceMs: number,
): Promise<void> {
  await killProcessTree(
    { taskId, shellPid: rootPid, shellOnlyWaits: false, isShellGone: isRootGone, groups: () => [] },
    graceMs,
  )
  // Fallback for systems where processes cannot be listed. Not after it has exited: its pid may have been reused.
  if (!isRootGone()) await taskkill(rootPid)
}

function taskkill(pid: number): Promise<void> {
  const program = win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
  return new Promise((resolve) => {
    execFile(program, ['/PID', String(pid), '/T', '/F'], { windowsHide: true }, () => resolve())
  })
}

/** A live process of one command. */
export interface SessionProcess {
  pid: number
  group: number
  /** Its command line, shortened. */
  command: string
}

/**
 * Everything alive in the session that `shellPid` leads, the shell included, in any process group, and all descendants
 * of `subreaper`, in any session.
 */
export async function sessionProcesses(
  shellPid: number,
  groups: readonly number[],
  subreaper?: Subreaper,
): Promise<SessionProcess[]> {
  const table = await processTable()
  const found = new Set([...inSession(table, shellPid, groups), ...descendantsOf(table, subreaper)])
  return [...found]
    .filter(({ isExiting }) => isExiting !== true)
    .map((entry) => ({ pid: entry.pid, group: entry.group, command: commandOf(entry) }))
}

/**
 * Like `sessionProcesses`, from a process table. Where sessions are unknown (anything but Linux): the descendants of
 * the shell and the members of `groups`.
 */
export function inSession(table: ProcessTable, shellPid: number, groups: readonly number[]): ProcessEntry[] {
  if (process.platform === 'linux') return [...(bySession(table).get(shellPid) ?? [])]
  return descendantsAndGroups(table, shellPid, groups)
}

/** The live descendants of `shellPid`, including itself, and the members of its group and of `groups`. */
export function descendantsAndGroups(
  table: ProcessTable,
  shellPid: number,
  groups: readonly number[] = [],
): ProcessEntry[] {
  const all = [...table.values()].filter(({ state }) => isAliveState(state))
  const found = new Set([shellPid])
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { pid, parent, group } of all)
      if (found.has(parent) || group === shellPid || groups.includes(group)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

/** The live descendants of exactly this process. */
function descendantsOf(table: ProcessTable, subreaper: Subreaper | undefined): ProcessEntry[] {
  if (!subreaper || table.get(subreaper.pid)?.started !== subreaper.started) return []
  const known = children.get(table) ?? Map.groupBy(table.values(), ({ parent }) => parent)
  children.set(table, known)
  const found: ProcessEntry[] = []
  const parents = [subreaper.pid]
  for (const parent of parents) {
    // A table read while processes come and go may contain cycles.
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

/** Processes by session, computed once per table: hundreds of commands may be stopped with the same table. */
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

/** Sends a signal to a process group. Returns false if there is no such group. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // 0 and 1 would signal our own group and all processes.
  if (group <= 1) return false
  try {
    process.kill(-group, signal)
    return true
  } catch (error) {
    // EPERM: the group exists, but we may not (or no longer) signal it.
    return errorCode(error) === 'EPERM'
  }
}

/** Whether our child has exited and was reaped; its pid may be reused from then on. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
