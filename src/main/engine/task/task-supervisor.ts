import type { TaskPush, UsagePush } from '../../../shared/events/push'
import type { Orphan, Task, TaskOutputPage } from '../../../shared/model/task'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionProcess } from '../process/kill-process-tree'

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
export interface TaskSupervisor {
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

/** Whom a task belongs to. */
export interface TaskOwner {
  sessionId?: string
  callId?: string
  /** Real path of the project. */
  folder?: string
}

/** A command to start in a terminal of its own. */
export interface TaskStart extends TaskOwner {
  command: string
  description?: string
  /** Absolute, existing. */
  cwd: string
  /** What it can reach; absent: everything the user can. Where that cannot be had, it is not run. */
  sandbox?: SandboxPolicy
  /** ms; `null`: no limit. The clock rests while the command waits for a person at its terminal, if `canAnswer`. */
  timeoutMs: number | null
  /** Aborting stops everything the command started: SIGTERM, 5 s, SIGKILL. `run` does not wait for the last of it. */
  signal: AbortSignal
  /** The newest raw output; bounded and lossy on purpose (the file has everything). */
  onOutput?: (raw: string) => void
  /** Whether somebody is there who could type at the terminal. */
  canAnswer?: boolean
}

/** How a task ended, and its output as plain text within `maxChars`. */
export interface TaskEnd {
  /** With the status `running` it was moved to the background: `text` is what it had printed by then. */
  task: Task
  /** What the terminal would show without colours: escape codes gone, redraws collapsed. Head and tail when longer than asked. */
  text: string
  /** Characters of the whole plain text; bytes printed, when not all of it is in memory any more. */
  totalChars: number
  truncated: boolean
  durationMs: number
  /** What it left running in the background. It is stopped by `close`. */
  leftRunning: SessionProcess[]
  /** What the reader of the text should know beside it: no terminal, no bash, a log that is not whole. Sentences. */
  notes: string[]
  /** Hosts that its sandbox refused while it ran. */
  deniedHosts?: { host: string; port: number }[]
  /** Of a sandboxed command: whether the project was too large to be searched for secrets as a whole. */
  sandboxIsIncomplete?: boolean
  /** Why it goes on in the background. */
  moved?: 'by_user' | 'at_time_limit'
}

/** Commands as tasks: each its own session and process group with a PTY, its output on disk, memory bounded whatever is printed. */
export interface TerminalTasks {
  /**
   * Runs a command to its end, or until it is moved to the background. Rejects only when it could not be started (no shell, no such folder,
   * too long a command), with a message to act on. After an abort it resolves within 300 ms; what is still alive then is seen to in the
   * background, and `close` waits for it.
   */
  run(start: TaskStart, maxChars: number): Promise<TaskEnd>
  /** Loads what the first command needs, so that it need not wait. Optional; costs a few ms once. */
  warm(sandbox?: SandboxPolicy): void
  /** Stops whatever still runs, what ended commands left behind included, and waits for it. */
  close(): Promise<void>
}
