import type { Orphan } from '../../../../shared/model/task/task'
import { homeKey, isSupervisorAlive, type ProcessTag } from '../../process/process-tag'
import { SUBREAPER_NAME } from '../pty/subreaper'
import { commandOf, processTable } from '../../process/process-table'
import { killProcesses } from '../../process/kill/kill-processes'
import { TaggedProcesses, type TaggedProcess, type ProcessesByTask } from '../../process/kill/tagged-processes'
import { readLink, startTime } from '../../process/proc-files'

/** The running task host, as needed to find orphans. */
export interface LivingHost {
  pid: number
  /** The tasks it runs now. */
  running(): Promise<Iterable<string>>
}

const NO_TASKS: ReadonlySet<string> = new Set()

/**
 * Processes of this home's tasks whose supervisor is dead and, with `host`, those left by its ended tasks; oldest
 * first.
 */
export async function findOrphans(home: string, host?: LivingHost): Promise<Orphan[]> {
  const byTask = new TaggedProcesses().find(await processTable())
  // Requested after the scan, which contains no tasks started since; ended tasks do not start again.
  const ended = host ? await endedTasks(byTask, homeKey(home), host) : NO_TASKS
  return orphansIn(byTask, orphanTest(home, ended))
    .filter(({ entry }) => entry.name !== SUBREAPER_NAME)
    .map(({ entry, tag }) => ({
      pid: entry.pid,
      taskId: tag.taskId,
      command: commandOf(entry),
      memoryBytes: entry.memoryBytes,
      startedAt: process.platform === 'linux' ? startTime(entry.started) : entry.started * 1000,
      ...(ended.has(tag.taskId) && { taskEnded: true as const }),
    }))
    .toSorted((a, b) => a.startedAt - b.startedAt || a.pid - b.pid)
}

/**
 * Ends the orphans with these pids, or all, and all processes of `tasks`: SIGTERM, then SIGKILL after `graceMs`. Each
 * process is checked again, so one with a reused pid is left alone. Returns how many processes have ended.
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
      isMine: (tag) => pids === undefined && isOrphan(tag),
    },
    graceMs,
  )
  return ended.size - left.length
}

function orphansIn(byTask: ProcessesByTask, isOrphan: (tag: ProcessTag) => boolean): TaggedProcess[] {
  return [...byTask.values()]
    .flat()
    .filter(({ entry, tag }) => entry.pid !== process.pid && isOrphan(tag) && isInOurPidNamespace(entry.pid))
}

/** The host's tasks that have processes but are not running. */
async function endedTasks(byTask: ProcessesByTask, home: string, host: LivingHost): Promise<ReadonlySet<string>> {
  const isTheirs = ({ supervisor }: ProcessTag): boolean =>
    supervisor !== undefined && supervisor.home === home && supervisor.pid === host.pid && isSupervisorAlive(supervisor)
  const taskIds = [...byTask].filter(([, [first]]) => first && isTheirs(first.tag)).map(([taskId]) => taskId)
  if (taskIds.length === 0) return NO_TASKS
  const running = new Set(await host.running())
  return new Set(taskIds.filter((taskId) => !running.has(taskId)))
}

/** Whether a tag belongs to this home and its supervisor is dead or its task has ended; checks each supervisor once. */
function orphanTest(home: string, ended: ReadonlySet<string>): (tag: ProcessTag) => boolean {
  const key = homeKey(home)
  const dead = new Map<string, boolean>()
  return ({ taskId, supervisor }) => {
    if (supervisor?.home !== key) return false
    if (ended.has(taskId)) return true
    const identity = `${supervisor.pid} ${supervisor.started}`
    const isDead = dead.get(identity) ?? !isSupervisorAlive(supervisor)
    dead.set(identity, isDead)
    return isDead
  }
}

/** Whether a process is in our pid namespace: in a container, the supervisor's pid would refer to another process. */
function isInOurPidNamespace(pid: number): boolean {
  return process.platform !== 'linux' || readLink(`/proc/${pid}/ns/pid`) === readLink('/proc/self/ns/pid')
}
