import type { ChildProcess } from 'node:child_process'
import { commandOf } from './watch/command-of'
import type { ProcessEntry } from './watch/process-entry'
import { isAliveState, processTable, type ProcessTable } from './watch/process-table'

/** A living process of one command. */
export interface SessionProcess {
  pid: number
  group: number
  /** Its command line, shortened. */
  command: string
}

/** Everything alive in the session that `leader` began, the leader included, whatever process groups it is spread over. */
export async function sessionProcesses(leader: number, groups: readonly number[]): Promise<SessionProcess[]> {
  return inSession(await processTable(), leader, groups).map((entry) => ({
    pid: entry.pid,
    group: entry.group,
    command: commandOf(entry),
  }))
}

/** The same in a table. Where the system does not tell sessions (anything but Linux): the descendants of the leader and the members of `groups`. */
export function inSession(table: ProcessTable, leader: number, groups: readonly number[]): ProcessEntry[] {
  if (process.platform === 'linux') return [...(bySession(table).get(leader) ?? [])]
  const all = [...table.values()].filter(({ state }) => isAliveState(state))
  const found = new Set([leader])
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { pid, parent, group } of all) if (found.has(parent) || group === leader || groups.includes(group)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

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
