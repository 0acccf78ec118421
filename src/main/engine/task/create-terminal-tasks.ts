import { join } from 'node:path'
import { CUSTODY_MARK, custodyMark } from './custody-mark'
import { MOVED_LIMIT_MS, newTaskId, TaskStarter, type TaskStarterOptions } from './start-task'
import type { TaskRun } from './task-run'
import type { TerminalTasks } from './terminal-tasks'

export interface TerminalTasksOptions extends TaskStarterOptions {
  /** Where the output files go; made when needed. */
  outputDir: string
  /** The environment of commands: see `commandEnv`. Asked at every start, so that changed settings count. */
  env: () => Record<string, string>
  /** Real path of the home the commands belong to; says so in their environment, so that what a crash leaves behind is found. */
  home?: string
  /** Most bytes of a log; asked at every start. */
  logBytes?: () => number
  /** Who takes over a command whose time is up, and whether it is to go on then; asked at every start. Absent: it is stopped. */
  atTimeLimit?: { moves(): boolean; take(run: TaskRun): void }
}

/** Commands in terminals of this very process. See `TerminalTasks`. */
export function createTerminalTasks(options: TerminalTasksOptions): TerminalTasks {
  const { home } = options
  const starter = new TaskStarter(options)
  let mark: Record<string, string> | undefined
  const env = (): Record<string, string> => {
    mark ??= home === undefined ? {} : { [CUSTODY_MARK]: custodyMark(home) }
    return { ...options.env(), ...mark }
  }
  return {
    async run(start, maxChars) {
      const taskId = newTaskId()
      const moves = options.atTimeLimit?.moves() === true
      const run = await starter.start({
        taskId,
        ...(moves && { moveAtLimit: { limitMs: MOVED_LIMIT_MS } }),
        start,
        maxChars,
        env: env(),
        outputPath: join(options.outputDir, `${taskId}.log`),
        ...(options.logBytes && { logBytes: options.logBytes() }),
      })
      const end = await run.ended()
      if (moves && end.moved !== undefined) options.atTimeLimit?.take(run)
      return end
    },
    warm: (sandbox) => starter.warm(env, sandbox),
    close: () => starter.close(),
  }
}
