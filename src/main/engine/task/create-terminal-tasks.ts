import { join } from 'node:path'
import { newTaskId, TaskStarter, type TaskStarterOptions } from './start-task'
import type { TerminalTasks } from './terminal-tasks'

export interface TerminalTasksOptions extends TaskStarterOptions {
  /** Where the output files go; made when needed. */
  outputDir: string
  /** The environment of commands: see `commandEnv`. Asked at every start, so that changed settings count. */
  env: () => Record<string, string>
  /** Most bytes of a log; asked at every start. */
  logBytes?: () => number
}

/** Commands in terminals of this very process. See `TerminalTasks`. */
export function createTerminalTasks(options: TerminalTasksOptions): TerminalTasks {
  const starter = new TaskStarter(options)
  return {
    async run(start, maxChars) {
      const taskId = newTaskId()
      const run = await starter.start({
        taskId,
        start,
        maxChars,
        env: options.env(),
        outputPath: join(options.outputDir, `${taskId}.log`),
        ...(options.logBytes && { logBytes: options.logBytes() }),
      })
      return run.ended()
    },
    warm: () => starter.warm(options.env()),
    close: () => starter.close(),
  }
}
