/** Where a task stands. `lost` means the process that ran it is gone (reference/tools.md, Shell). */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped' | 'timed_out' | 'lost'

/** A command with a terminal of its own: everything Bash starts is one, in the foreground too. */
export interface Task {
  taskId: string
  command: string
  description?: string
  cwd: string
  status: TaskStatus
  pid?: number
  /** ms since the epoch. */
  startedAt: number
  endedAt?: number
  /** Exit code; absent while running and when ended by a signal. */
  exitCode?: number
  signal?: string
  /** Absolute path of the file that holds everything the command printed. */
  outputPath: string
  outputBytes: number
}
