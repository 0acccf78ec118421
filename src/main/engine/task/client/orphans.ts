import type { Orphan } from '../../../../shared/model/task'
import { homeKey, isSupervisorAlive, type ProcessTag } from '../../process/process-tag'
import { SUBREAPER_NAME } from '../pty/subreaper'
import { commandOf, processTable } from '../../process/process-table'
import { killProcesses } from '../../process/kill-processes'
import { TaggedProcesses, type TaggedProcess, type ProcessesByTask } from '../../process/tagged-processes'
import { readLink, startTime } from '../../process/proc-files'

/** The task host that lives, as far as orphans go. */
export interface LivingHost {
  pid: number
  /** What it runs just now. */
  running(): Promise<Iterable<string>>
}

const NO_TASKS: ReadonlySet<string> = new Set()

/** Processes of tasks of this home whose custodian is dead, and with `host` those that its ended tasks have left; oldest first. */
export async function findOrphans(home: string, host?: LivingHost): Promise<Orphan[]> {
  const byTask = new TaggedProcesses().find(await processTable())
  // Asked after the look at the processes: what has begun since is not among them, and what has ended does not begin again.
  const ended = host ? await endedTasks(byTask, homeKey(home), host) : NO_TASKS
  return orphansIn(byTask, orphanTest(home, ended))
    .filter(({ entry }) => entry.name !== SUBREAPER_NAME)
    .map(({ entry, mark }) => ({
      pid: entry.pid,
      taskId: mark.taskId,
      command: commandOf(entry),
      memoryBytes: entry.memoryBytes,
      startedAt: process.platform === 'linux' ? startTime(entry.started) : entry.started * 1000,
      ...(ended.has(mark.taskId) && { taskEnded: true as const }),
    }))
    .toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)
}

/**
 * Ends those of them with these numbers, or all, and all processes of the tasks `ended`: SIGTERM, SIGKILL after `graceMs`. A number that is somebody else's by now is left
 * alone, because each is looked at again. Returns how many processes are gone.
 */
export async function endOrphans(
  home: string,
  pids: readonly number[] | undefined,
  graceMs: number,
  tasks: ReadonlySet<string> = NO_TASKS,
): Promise<number> {
  const isOrphan = orphanTest(home, tasks)
  const ended = new Set<string>()
  const left = await killProcesses(
    {
      find: ({ byTask }) => {
        const wanted = orphansIn(byTask, isOrphan).filter(({ entry }) => pids === undefined || pids.includes(entry.pid))
        for (const { entry } of wanted) if (entry.name !== SUBREAPER_NAME) ended.add(`${entry.pid} ${entry.started}`)
        return wanted.map(({ entry }) => entry)
      },
      isMine: (mark) => pids === undefined && isOrphan(mark),
    },
    graceMs,
  )
  return ended.size - left.length
}

function orphansIn(byTask: ProcessesByTask, isOrphan: (mark: ProcessTag) => boolean): TaggedProcess[] {
  return [...byTask.values()]
    .flat()
    .filter(({ entry, mark }) => entry.pid !== process.pid && isOrphan(mark) && hasOurNumbers(entry.pid))
}

/** Those of the host's tasks that have processes, and do not run. */
async function endedTasks(byTask: ProcessesByTask, home: string, host: LivingHost): Promise<ReadonlySet<string>> {
  const isTheirs = ({ supervisor }: ProcessTag): boolean =>
    supervisor !== undefined && supervisor.home === home && supervisor.pid === host.pid && isSupervisorAlive(supervisor)
  const taskIds = [...byTask].filter(([, [first]]) => first && isTheirs(first.mark)).map(([taskId]) => taskId)
  if (taskIds.length === 0) return NO_TASKS
  const running = new Set(await host.running())
  return new Set(taskIds.filter((taskId) => !running.has(taskId)))
}

/** Whether a mark is of this home, and its custodian dead or its task ended; looks each custodian up once. */
function orphanTest(home: string, ended: ReadonlySet<string>): (mark: ProcessTag) => boolean {
  const key = homeKey(home)
  const dead = new Map<string, boolean>()
  return ({ taskId, supervisor }) => {
    if (supervisor?.home !== key) return false
    if (ended.has(taskId)) return true
    const custodian = `${supervisor.pid} ${supervisor.started}`
    const isDead = dead.get(custodian) ?? !isSupervisorAlive(supervisor)
    dead.set(custodian, isDead)
    return isDead
  }
}

/** Whether it counts processes as we do: within a container, the custodian's number means another process. */
function hasOurNumbers(pid: number): boolean {
  return process.platform !== 'linux' || readLink(`/proc/${pid}/ns/pid`) === readLink('/proc/self/ns/pid')
}
