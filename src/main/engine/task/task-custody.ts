import type { TaskPush, UsagePush } from '../../../shared/model/push'
import type { Orphan, Task, TaskOutputPage } from '../../../shared/model/task'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { TaskOwner, TerminalTasks } from './terminal-tasks'

/** A background command to start. */
export interface BackgroundStart extends TaskOwner {
  command: string
  description?: string
  /** Absolute, existing. */
  cwd: string
  /** As in `TaskStart`. */
  sandbox?: SandboxPolicy
  /** ms; `null`: no limit. */
  timeoutMs: number | null
}

/**
 * Background tasks of all processes on one home. They belong to the task host, a process of its own, so they outlive this one; it is started
 * when the first is needed, found again when it runs already, and replaced when it died. Records and output are files, read here also when no
 * host runs. Failures are `CodedError`s: `task.not_found`, `task.ended`, `task.host_unavailable`.
 */
export interface TaskCustody {
  /** Rejects, with a message to act on, when the command could not be started. */
  start(start: BackgroundStart): Promise<Task>
  /** Running ones first, then newest first; foreground commands of this home's processes included where they are known. */
  list(filter: { activeOnly?: boolean; limit?: number; sessionId?: string }): Promise<Task[]>
  get(taskId: string): Promise<Task>
  output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage>
  /** Resolves when the task has ended (with `ended`), or after `ms`, or when `signal` aborts. */
  wait(taskId: string, ms: number, signal?: AbortSignal): Promise<{ task: Task; ended: boolean }>
  /** Stops everything that carries the task's mark; resolves with the ended task. */
  stop(taskId: string, reason?: string): Promise<Task>
  stopAll(filter: { sessionId?: string }): Promise<{ stopped: number }>
  input(taskId: string, data: string): Promise<void>
  /** A command that a call waits for goes on in the background: its `run` ends with `moved`. Harmless when it is there already. */
  moveToBackground(taskId: string): Promise<Task>
  /** Runs commands that a call waits for: in the task host where the engine's host wants that, else in this process. */
  readonly terminals: TerminalTasks
  /** What tasks have left running: those of a Trestle that died, and those that have ended. */
  orphans(): Promise<Orphan[]>
  killOrphans(pids?: readonly number[]): Promise<{ stopped: number }>
  watch(taskId: string, listener: (push: TaskPush) => void): () => void
  watchUsage(listener: (push: UsagePush) => void): () => void
  /** Told after every change of a task's record, whoever caused it; output alone is told at most once a second. */
  onChange(listener: (task: Task) => void): () => void
  /** Told when a task is no longer listed: a command that a call waited for has ended, or an old record was removed. */
  onRemoved(listener: (taskId: string) => void): () => void
  /** Told what the user should know: the host died and was replaced, orphans were found. */
  onNotice(listener: (text: string) => void): () => void
  /**
   * Stops what calls wait for and lets go of the host. Background tasks run on, or are stopped, as `background` says; default: as the setting
   * `[tasks] on_exit` says, with `ask` taken as `keep`.
   */
  close(background?: 'keep' | 'stop'): Promise<void>
}
