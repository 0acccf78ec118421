import { CodedError } from '../../../shared/errors'
import type { Orphan, Task } from '../../../shared/model/task'
import type { TaskSupervisor } from '../../engine/task/task-supervisor'
import { shortLine, table } from '../../console/output'

/** Processes that an ended task left running, as JSON shows them: with the known fields of the task. */
interface TaskOrphans extends Partial<Task> {
  taskId: string
  leftRunning: Orphan[]
}

/**
 * Lists running tasks, or all, newest first. Ended tasks with running processes are included in JSON; on a terminal
 * they have their own list.
 */
export async function listTasks(
  supervisor: TaskSupervisor,
  { all, limit, isJson }: { all: boolean; limit: number; isJson: boolean },
): Promise<number> {
  const tasks: (Task | TaskOrphans)[] = await supervisor.list({ activeOnly: !all, limit })
  const left = await orphansByTask(supervisor, await supervisor.orphans())
  if (isJson) {
    const others = tasks.filter(({ taskId }) => !left.some((each) => each.taskId === taskId))
    return say(`${JSON.stringify([...others, ...left])}\n`)
  }
  if (tasks.length === 0) say(all ? 'There are no tasks.\n' : 'No task runs. Ended ones: trestle task list --all\n')
  else say(table(['ID', 'STATUS', 'TIME', 'PID', 'COMMAND', 'LAST LINE'], (tasks as Task[]).map(rowOf)))
  if (left.length === 0) return 0
  say(
    `\nLeft running by tasks that have ended; trestle task stop --all stops them, or trestle task kill-orphans PID:\n`,
  )
  return say(orphanTable(left.flatMap(({ leftRunning }) => leftRunning)))
}

/** Groups orphans by task, in the order of the tasks' first processes. */
async function orphansByTask(supervisor: TaskSupervisor, orphans: readonly Orphan[]): Promise<TaskOrphans[]> {
  return Promise.all(
    [...Map.groupBy(orphans, ({ taskId }) => taskId)].map(async ([taskId, leftRunning]) => ({
      ...(await supervisor.get(taskId).catch(() => undefined)),
      taskId,
      leftRunning,
    })),
  )
}

function orphanTable(orphans: readonly Orphan[]): string {
  return table(
    ['PID', 'TASK', 'TIME', 'COMMAND'],
    orphans.map(({ pid, taskId, startedAt, command }) => [
      String(pid),
      taskId,
      duration(Date.now() - startedAt),
      shortLine(command, 100),
    ]),
  )
}

/** `all`: includes processes that ended tasks left running. Returns 1 when a task could not be stopped. */
export async function stopTasks(
  supervisor: TaskSupervisor,
  which: readonly string[] | 'all',
  { isJson, reason }: { isJson: boolean; reason: string },
): Promise<number> {
  const ids =
    which === 'all'
      ? (await supervisor.list({ activeOnly: true })).filter(({ background }) => background).map(({ taskId }) => taskId)
      : which
  const failures: string[] = []
  const before = new Map<string, Task>()
  const stopped = await Promise.all(
    ids.map(async (taskId) => {
      try {
        before.set(taskId, await supervisor.get(taskId))
        return [await supervisor.stop(taskId, reason)]
      } catch (error) {
        if (!(error instanceof CodedError)) throw error
        failures.push(error.message)
        return []
      }
    }),
  )
  for (const failure of failures) process.stderr.write(`trestle: ${failure} List them with: trestle task list --all\n`)
  const tasks = stopped.flat()
  const orphans = which === 'all' ? await supervisor.orphans() : []
  if (orphans.length > 0) await supervisor.killOrphans()
  if (isJson) say(`${JSON.stringify([...tasks, ...(await orphansByTask(supervisor, orphans))])}\n`)
  else if (ids.length === 0 && orphans.length === 0) say('No task runs.\n')
  else {
    for (const { taskId, status, command } of tasks) {
      const hadEnded = before.get(taskId)?.status !== 'running'
      say(`${taskId}  ${hadEnded ? `had ended already: ${status}` : status}  ${shortLine(command, 100)}\n`)
    }
    for (const { taskId, pid, command } of orphans)
      say(`${taskId}  left behind, process ${pid}  stopped  ${shortLine(command, 100)}\n`)
  }
  return failures.length > 0 ? 1 : 0
}

/** Stops orphaned processes of ended tasks and crashed runs. */
export async function killOrphans(
  supervisor: TaskSupervisor,
  pids: readonly number[] | undefined,
  isJson: boolean,
): Promise<number> {
  const orphans = (await supervisor.orphans()).filter(({ pid }) => pids?.includes(pid) ?? true)
  const { stopped } = orphans.length > 0 ? await supervisor.killOrphans(pids) : { stopped: 0 }
  if (isJson) return say(`${JSON.stringify({ stopped, orphans })}\n`)
  if (orphans.length === 0) return say('Nothing is left of tasks that have ended.\n')
  say(orphanTable(orphans))
  return say(`${Math.min(stopped, orphans.length)} of ${orphans.length} stopped.\n`)
}

function rowOf(task: Task): string[] {
  const { taskId, status, startedAt, endedAt, pid, command, lastLine, exitCode, prompt } = task
  const shown = prompt ? 'needs input' : status === 'failed' && exitCode !== undefined ? `failed (${exitCode})` : status
  return [
    taskId,
    shown,
    duration((endedAt ?? Date.now()) - startedAt),
    pid === undefined ? '' : String(pid),
    shortLine(command, 60),
    shortLine(lastLine ?? '', 60),
  ]
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}
