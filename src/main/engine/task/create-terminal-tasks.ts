import { join } from 'node:path'
import { CUSTODY_MARK, custodyMark } from './custody-mark'
import { newTaskId, TaskStarter, type TaskStarterOptions } from './start-task'
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
      const run = await starter.start({
        taskId,
        start,
        maxChars,
        env: env(),
        outputPath: join(options.outputDir, `${taskId}.log`),
        ...(options.logBytes && { logBytes: options.logBytes() }),
      })
      return run.ended()
    },
    warm: (sandbox) => starter.warm(env, sandbox),
    close: () => starter.close(),
  }
}
