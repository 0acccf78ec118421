import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import type { TaskSettings } from '../../src/main/engine/config/agent-settings/session-settings'
import { createTaskSupervisor } from '../../src/main/engine/task/client/create-task-supervisor'
import type { TaskHostProgram } from '../../src/main/engine/task/client/host-connector'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { isAlive } from './marked-pids'
import { until } from './until'

/** The task host, run from its TypeScript sources. */
export const sourceTaskHost: TaskHostProgram = {
  program: [
    process.execPath,
    '--import',
    new URL('./ts-hooks.mjs', import.meta.url).href,
    fileURLToPath(new URL('../../src/main/task-host.ts', import.meta.url)),
  ],
  env: { NODE_OPTIONS: '' },
}

/** A task supervisor for `home`, as the engine creates it. */
export function openSupervisor(
  home: string,
  { interactive = true, settings = {} }: { interactive?: boolean; settings?: Partial<TaskSettings> } = {},
): ReturnType<typeof createTaskSupervisor> {
  const env = (): Record<string, string> => commandEnv(process.env, DEFAULT_SETTINGS)
  return createTaskSupervisor({
    home,
    program: sourceTaskHost,
    interactive,
    env,
    settings: () => ({ ...DEFAULT_SETTINGS.tasks, ...settings }),
    local: createTerminalTasks({ outputDir: join(home, 'tasks'), env }),
  })
}

/** Process ids of the task hosts of a home. */
export function hostPids(home: string): number[] {
  const folder = join(home, 'run')
  return (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((name) => /^task-host\..*\.(\d+)\.alive$/.exec(name)?.[1] ?? [])
    .map(Number)
}

/** Ends the task hosts of a home with all their tasks, and waits until they have exited. */
export async function endHosts(home: string): Promise<void> {
  for (const pid of hostPids(home)) {
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      continue
    }
    await until(() => !isRunning(pid), `the end of task host ${pid}`)
  }
}

/**
 * Whether a process is running. A process that has ended but was not reaped does not count: what a killed program
 * leaves behind belongs to the system's first process, which in containers may reap it seconds later or never.
 */
export function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return isAlive(pid)
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
