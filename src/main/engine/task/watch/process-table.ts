import { setImmediate as nextTurn } from 'node:timers/promises'
import { processListByPs } from './process-list-by-ps'
import { runningPids, statOf } from './proc-files'
import type { ProcessEntry } from './process-entry'

/** Every process of the system by its number. */
export type ProcessTable = ReadonlyMap<number, ProcessEntry>

/** No longer at a stretch than this, so that others get their turn. */
const STRETCH_MS = 6

/**
 * One look at all processes. On Linux from /proc, the newest first, because those are the ones that may be gone in a moment; on macOS one call
 * of `ps`; on Windows PowerShell is asked, which takes a tenth of a second.
 */
export async function processTable(): Promise<ProcessTable> {
  if (process.platform === 'win32') return (await import('../windows/windows-process-table')).windowsProcessTable()
  if (process.platform !== 'linux') return new Map((await processListByPs()).map((entry) => [entry.pid, entry]))
  const table = new Map<number, ProcessEntry>()
  let resumed = performance.now()
  for (const pid of runningPids()) {
    const entry = statOf(pid)
    if (entry) table.set(pid, entry)
    if (performance.now() - resumed > STRETCH_MS) {
      await nextTurn()
      resumed = performance.now()
    }
  }
  return table
}

/** Whether that very process still lives; a zombie does not. */
export function isStillThere({ pid, started }: ProcessEntry): boolean {
  if (process.platform === 'linux') {
    const now = statOf(pid)
    return now !== undefined && now.started === started && isAliveState(now.state)
  }
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export function isAliveState(state: string): boolean {
  return state !== 'Z' && state !== 'X'
}
