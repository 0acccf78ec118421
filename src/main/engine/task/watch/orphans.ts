import type { Orphan } from '../../../../shared/model/task'
import { homeKey, isCustodianAlive } from '../custody-mark'
import { commandOf } from './command-of'
import { endProcesses } from './end-marked'
import { MarkedProcesses, type MarkedProcess, type ProcessesByTask } from './marked-processes'
import { linkOf, startTime } from './proc-files'
import { processTable } from './process-table'

/** Processes of tasks of this home whose custodian is dead, oldest first. */
export async function findOrphans(home: string): Promise<Orphan[]> {
  const found = orphansIn(new MarkedProcesses().find(await processTable()), home)
  return found
    .map(({ entry, mark }) => ({
      pid: entry.pid,
      taskId: mark.taskId,
      command: commandOf(entry),
      memoryBytes: entry.memoryBytes,
      startedAt: process.platform === 'linux' ? startTime(entry.started) : entry.started * 1000,
    }))
    .toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)
}

/**
 * Ends those of them with these numbers, or all: SIGTERM, SIGKILL after `graceMs`. A number that is somebody else's by now is left alone, because each
 * is looked at again. Returns how many processes are gone.
 */
export async function endOrphans(home: string, pids: readonly number[] | undefined, graceMs: number): Promise<number> {
  const ended = new Set<string>()
  const left = await endProcesses(
    {
      find: ({ byTask }) => {
        const entries = orphansIn(byTask, home).map(({ entry }) => entry)
        const wanted = pids === undefined ? entries : entries.filter(({ pid }) => pids.includes(pid))
        for (const { pid, started } of wanted) ended.add(`${pid} ${started}`)
        return wanted
      },
    },
    graceMs,
  )
  return ended.size - left.length
}

function orphansIn(byTask: ProcessesByTask, home: string): MarkedProcess[] {
  const key = homeKey(home)
  const dead = new Map<string, boolean>()
  const isDead = ({ pid, started }: { pid: number; started: string }): boolean => {
    const custodian = `${pid} ${started}`
    const known = dead.get(custodian) ?? !isCustodianAlive({ home: key, pid, started })
    dead.set(custodian, known)
    return known
  }
  return [...byTask.values()]
    .flat()
    .filter(
      ({ entry, mark: { custody } }) => custody?.home === key && entry.pid !== process.pid && isDead(custody) && hasOurNumbers(entry.pid),
    )
}

/** Whether it counts processes as we do: within a container, the custodian's number means another process. */
function hasOurNumbers(pid: number): boolean {
  return process.platform !== 'linux' || linkOf(`/proc/${pid}/ns/pid`) === linkOf('/proc/self/ns/pid')
}
