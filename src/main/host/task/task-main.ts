import { realpathSync } from 'node:fs'
import { didYouMean, UsageError, type Parsed } from '../../console/parse-command'
import { DEFAULT_SETTINGS } from '../../engine/config/settings/settings'
import { resolveHome } from '../../engine/config/home'
import { commandEnv } from '../../engine/environment/command-env'
import { createTerminalTasks } from '../../engine/task/run/in-process-tasks'
import { createTaskSupervisor } from '../../engine/task/client/create-task-supervisor'
import type { TaskSupervisor } from '../../engine/task/task-supervisor'
import { nearest } from '../../../shared/nearest'
import { printOutput } from './task-output'
import { CodedError } from '../../../shared/errors'
import type { Orphan, Task } from '../../../shared/model/task/task'
import { shortLine, table } from '../../console/output'

/** The options of each action. */
const ACTIONS = {
  list: ['json', 'all', 'limit'],
  output: ['json', 'tail', 'follow'],
  stop: ['json', 'all', 'reason'],
  'kill-orphans': ['json'],
} as const

type Action = keyof typeof ACTIONS

/**
 * `trestle task`: lists and stops tasks, with or without a running app. Returns the exit code: 0, or 1 when something
 * failed.
 */
export async function taskMain({ values, positionals: [action, ...ids] }: Parsed): Promise<number> {
  if (action === undefined || !Object.hasOwn(ACTIONS, action)) {
    const names = Object.keys(ACTIONS)
    throw wrong(
      action === undefined
        ? `Specify an action: ${names.join(', ')}.`
        : `Unknown "${action}".${didYouMean(nearest(action, names, 1))} There are: ${names.join(', ')}.`,
    )
  }
  const known: readonly string[] = ACTIONS[action as Action]
  const stray = Object.keys(values).find((name) => name !== 'help' && !known.includes(name))
  if (stray !== undefined) {
    const owner = Object.entries(ACTIONS).find(([, names]) => (names as readonly string[]).includes(stray))?.[0]
    throw wrong(`--${stray} goes with ${owner}, not with ${action}.`)
  }
  const isJson = values['json'] === true
  const supervisor = openSupervisor()
  try {
    switch (action as Action) {
      case 'list':
        if (ids.length > 0) throw wrong(`list takes no ids; for the output of one: trestle task output ${ids[0]}.`)
        return await listTasks(supervisor, {
          all: values['all'] === true,
          limit: wholeNumber(values['limit'], 'limit') ?? 20,
          isJson,
        })
      case 'output': {
        const [taskId] = ids
        if (taskId === undefined || ids.length > 1)
          throw wrong('output takes the id of one task; trestle task list --all shows them.')
        const tail = wholeNumber(values['tail'], 'tail')
        return await printOutput(supervisor, taskId, {
          isJson,
          follow: values['follow'] === true,
          ...(tail !== undefined && { tail }),
        })
      }
      case 'stop': {
        const all = values['all'] === true
        if (all === ids.length > 0) throw wrong('stop takes ids of tasks, or --all.')
        const { reason } = values
        return await stopTasks(supervisor, all ? 'all' : ids, {
          isJson,
          reason: typeof reason === 'string' ? reason : 'Stopped from the command line.',
        })
      }
      case 'kill-orphans':
        break
    }
    const pids = ids.map((id) => wholeNumber(id, 'process number') ?? 0)
    return await killOrphans(supervisor, pids.length > 0 ? pids : undefined, isJson)
  } finally {
    await supervisor.close('keep')
  }
}

const env = (): Record<string, string> => commandEnv(process.env, DEFAULT_SETTINGS)

/** Connects to a running task host; never starts one. */
function openSupervisor(): TaskSupervisor {
  const home = realpathSync(resolveHome())
  return createTaskSupervisor({
    home,
    interactive: false,
    env,
    settings: () => DEFAULT_SETTINGS.tasks,
    local: createTerminalTasks({ outputDir: home, env }),
  })
}

function wholeNumber(value: Parsed['values'][string], name: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw wrong(
    `${name === 'process number' ? 'A process number' : `--${name}`} is a whole number from 1 on; ` +
      `not "${String(value)}".`,
  )
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'task')
}

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
  if (tasks.length === 0)
    say(all ? 'There are no tasks.\n' : 'No tasks are running. To list ended ones: trestle task list --all\n')
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
  else if (ids.length === 0 && orphans.length === 0) say('No tasks are running.\n')
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
  if (orphans.length === 0) return say('Ended tasks left no processes running.\n')
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
