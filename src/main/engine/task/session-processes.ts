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

/** A process below which there is only what belongs to one task. */
export type KeptBelow = Pick<ProcessEntry, 'pid' | 'started'>

/**
 * Everything alive in the session that `leader` began, the leader included, whatever process groups it is spread over, and what is below `keeper`, whatever session it has made
 * for itself.
 */
export async function sessionProcesses(leader: number, groups: readonly number[], keeper?: KeptBelow): Promise<SessionProcess[]> {
  const table = await processTable()
  return [...new Set([...inSession(table, leader, groups), ...below(table, keeper)])].map((entry) => ({
    pid: entry.pid,
    group: entry.group,
    command: commandOf(entry),
  }))
}

/** The same in a table. Where the system does not tell sessions (anything but Linux): the descendants of the leader and the members of `groups`. */
export function inSession(table: ProcessTable, leader: number, groups: readonly number[]): ProcessEntry[] {
  if (process.platform === 'linux') return [...(bySession(table).get(leader) ?? [])]
  return familyOf(table, leader, groups)
}

/** The living descendants of `leader`, itself included, and the members of its group and of `groups`. */
export function familyOf(table: ProcessTable, leader: number, groups: readonly number[] = []): ProcessEntry[] {
  const all = [...table.values()].filter(({ state }) => isAliveState(state))
  const found = new Set([leader])
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const { pid, parent, group } of all) if (found.has(parent) || group === leader || groups.includes(group)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

/** Everything alive below that very process. */
export function below(table: ProcessTable, keeper: KeptBelow | undefined): ProcessEntry[] {
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
