import { realpathSync } from 'node:fs'
import { didYouMean, UsageError, type Parsed } from '../../console/parse-command'
import { DEFAULT_SETTINGS } from '../../engine/config/settings/settings'
import { resolveHome } from '../../engine/config/home'
import { commandEnv } from '../../engine/environment/command-env'
import { createTerminalTasks } from '../../engine/task/in-process-tasks'
import { createTaskSupervisor } from '../../engine/task/client/create-task-supervisor'
import type { TaskSupervisor } from '../../engine/task/task-supervisor'
import { nearest } from '../../../shared/nearest'
import { killOrphans, listTasks, stopTasks } from './task-actions'
import { printOutput } from './task-output'

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
        ? `Say what to do: ${names.join(', ')}.`
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
    `${name === 'process number' ? 'A process number' : `--${name}`} is a whole number from 1 on; not "${String(value)}".`,
  )
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'task')
}
