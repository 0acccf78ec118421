import type { Task } from '../../../shared/model/task'
import type { BackgroundStart } from '../task/task-custody'
import type { TaskOwner } from '../task/terminal-tasks'

/** The end of what a task printed, as plain text. */
export interface TaskTail {
  text: string
  /** Bytes of what was printed, and how many of them `text` was made of. */
  totalBytes: number
  shownBytes: number
}

/** The tasks of one session, as its tools need them. */
export interface SessionTasks {
  owner(callId: string): TaskOwner
  /** Whether a person is there, and the session goes on by itself when a task ends after the turn. */
  readonly interactive: boolean
  /** Whether that person can type at a command's terminal. */
  readonly canType: boolean
  /** Starts a command in the background; from then on the agent is owed the news of its end. Rejects, with a message to act on, when it cannot be started. */
  start(start: BackgroundStart): Promise<Task>
  /** A command that a call waited for goes on in the background: the same holds for it. */
  moved(task: Task): void
  /** Those in the background, running ones first, then newest first. */
  list(filter: { activeOnly: boolean; limit: number }): Promise<Task[]>
  /** The task, or what is wrong with this id: no such task, or another session's. */
  find(taskId: string): Promise<{ task: Task } | { problem: string }>
  /** Resolves when the task has ended, after `ms`, or when `signal` aborts. */
  wait(taskId: string, ms: number, signal: AbortSignal): Promise<Task>
  tail(task: Task, maxBytes: number): Promise<TaskTail>
  /** Ends it with everything it started; harmless when it has ended. */
  stop(taskId: string, reason: string): Promise<Task>
}
