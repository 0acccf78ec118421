import type { Task } from '../../../shared/model/task'

/** A command to start in a terminal of its own. */
export interface TaskStart {
  command: string
  description?: string
  /** Absolute, existing. */
  cwd: string
  /** ms; `null`: no limit. */
  timeoutMs: number | null
  /** Aborting stops the whole process group: SIGTERM, 5 s, SIGKILL. */
  signal: AbortSignal
  /** The newest raw output; bounded and lossy on purpose (the file has everything). */
  onOutput?: (raw: string) => void
}

/** How a task ended, and its output as plain text within `maxChars`. */
export interface TaskEnd {
  task: Task
  /** What the terminal would show without colours: escape codes gone, redraws collapsed. Head and tail when longer than asked. */
  text: string
  /** Characters of the whole plain text, as far as known. */
  totalChars: number
  truncated: boolean
  durationMs: number
}

/** Commands as tasks: each its own process group with a PTY, its output on disk, memory bounded whatever is printed. */
export interface TerminalTasks {
  run(start: TaskStart, maxChars: number): Promise<TaskEnd>
  /** Stops whatever still runs and waits for it. */
  close(): Promise<void>
}
