import type { Orphan } from '../../../../shared/model/task'
import { homeKey, isCustodianAlive } from '../custody-mark'
import { commandOf } from './command-of'
import { endProcesses } from './end-marked'
import type { Mark } from './mark'
import { MarkedProcesses, type MarkedProcess, type ProcessesByTask } from './marked-processes'
import { linkOf, startTime } from './proc-files'
import { processTable } from './process-table'

/** Processes of tasks of this home whose custodian is dead, oldest first. */
export async function findOrphans(home: string): Promise<Orphan[]> {
  const found = orphansIn(new MarkedProcesses().find(await processTable()), orphanTest(home))
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
  const isOrphan = orphanTest(home)
  const ended = new Set<string>()
  const left = await endProcesses(
    {
      find: ({ byTask }) => {
        const wanted = orphansIn(byTask, isOrphan).filter(({ entry }) => pids === undefined || pids.includes(entry.pid))
        for (const { entry } of wanted) ended.add(`${entry.pid} ${entry.started}`)
        return wanted.map(({ entry }) => entry)
      },
      isMine: (mark) => pids === undefined && isOrphan(mark),
    },
    graceMs,
  )
  return ended.size - left.length
}

function orphansIn(byTask: ProcessesByTask, isOrphan: (mark: Mark) => boolean): MarkedProcess[] {
  return [...byTask.values()].flat().filter(({ entry, mark }) => entry.pid !== process.pid && isOrphan(mark) && hasOurNumbers(entry.pid))
}

/** Whether a mark is of this home and its custodian dead; looks each custodian up once. */
function orphanTest(home: string): (mark: Mark) => boolean {
  const key = homeKey(home)
  const dead = new Map<string, boolean>()
  return ({ custody }) => {
    if (custody?.home !== key) return false
    const custodian = `${custody.pid} ${custody.started}`
    const isDead = dead.get(custodian) ?? !isCustodianAlive(custody)
    dead.set(custodian, isDead)
    return isDead
  }
}

/** Whether it counts processes as we do: within a container, the custodian's number means another process. */
function hasOurNumbers(pid: number): boolean {
  return process.platform !== 'linux' || linkOf(`/proc/${pid}/ns/pid`) === linkOf('/proc/self/ns/pid')
}
