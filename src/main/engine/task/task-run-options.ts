import type { Task } from '../../../shared/model/task'
import type { Starter } from './running-process'
import type { TaskStart } from './terminal-tasks'

export interface TaskRunOptions {
  taskId: string
  start: TaskStart
  maxChars: number
  graceMs: number
  shell: string
  env: Record<string, string>
  outputPath: string
  /** Most bytes of the log on disk. */
  logBytes?: number
  starter: Starter
  notes: readonly string[]
  /** Nobody waits for its output as text, from the start. */
  background?: boolean
  /** At the time limit it goes on in the background for so long (ms; `null`: without a limit) instead of being stopped. */
  moveAtLimit?: { limitMs: number | null }
  /** The command runs. */
  onBegun?: () => void
  /** It has printed something. */
  onOutput?: () => void
  /** Something else of `task()` has changed. */
  onChange?: () => void
  /** Nothing of the task is left: no process, no open file. */
  onGone?: () => void
}

/** What of a task is known from its start on, and never changes. */
export function startedTask({
  taskId,
  start,
  outputPath,
}: TaskRunOptions): Pick<Task, 'taskId' | 'command' | 'cwd' | 'outputPath' | 'sandbox'> {
  const { command, cwd, description, sessionId, callId, folder, sandbox } = start
  return {
    taskId,
    command,
    cwd,
    outputPath,
    sandbox: sandbox ? { level: sandbox.level, network: sandbox.network } : { level: 'unrestricted', network: 'open' },
    ...(description !== undefined && { description }),
    ...(sessionId !== undefined && { sessionId }),
    ...(callId !== undefined && { callId }),
    ...(folder !== undefined && { folder }),
  }
}
