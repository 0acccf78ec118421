import type { TaskPush, UsagePush } from '../../../shared/events/push'
import type { Orphan, Task, TaskOutputPage } from '../../../shared/model/task/task'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionProcess } from '../process/kill/kill-process-tree'

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
 * Background tasks of all processes on one home. They belong to the task host, a separate process, so they outlive this
 * one; the host is started on demand, reused if it is running, and replaced if it died. Records and output are files,
 * readable without a host. Failures are `CodedError`s: `task.not_found`, `task.ended`, `task.host_unavailable`.
 */
export interface TaskSupervisor {
  /** Rejects, with a message for the user, if the command could not be started. */
  start(start: BackgroundStart): Promise<Task>
  /**
   * Running ones first, then newest first; includes foreground commands of this home's processes where they are known.
   */
  list(filter: { activeOnly?: boolean; limit?: number; sessionId?: string }): Promise<Task[]>
  get(taskId: string): Promise<Task>
  output(taskId: string, page: { before?: number; bytes: number }): Promise<TaskOutputPage>
  /** Resolves when the task has ended (with `ended`), or after `ms`, or when `signal` aborts. */
  wait(taskId: string, ms: number, signal?: AbortSignal): Promise<{ task: Task; ended: boolean }>
  /** Stops everything with the task's tag; resolves with the ended task. */
  stop(taskId: string, reason?: string): Promise<Task>
  stopAll(filter: { sessionId?: string }): Promise<{ stopped: number }>
  input(taskId: string, data: string): Promise<void>
  /** Moves a foreground command to the background: its `run` ends with `moved`. No effect if it is there already. */
  moveToBackground(taskId: string): Promise<Task>
  /** Runs foreground commands: in the task host if the engine's host is configured so, else in this process. */
  readonly terminals: TerminalTasks
  /** Processes that tasks left running: of a Trestle that died, or of tasks that have ended. */
  orphans(): Promise<Orphan[]>
  killOrphans(pids?: readonly number[]): Promise<{ stopped: number }>
  watch(taskId: string, listener: (push: TaskPush) => void): () => void
  watchUsage(listener: (push: UsagePush) => void): () => void
  /** Called after every change of a task's record by any process; for output alone at most once a second. */
  onChange(listener: (task: Task) => void): () => void
  /** Called when a task is no longer listed: a foreground command has ended, or an old record was removed. */
  onRemoved(listener: (taskId: string) => void): () => void
  /** Called with notices for the user: the host died and was replaced, orphans were found. */
  onNotice(listener: (text: string) => void): () => void
  /**
   * Stops foreground commands and disconnects from the host. Background tasks keep running or are stopped, as
   * `background` says; default: the setting `[tasks] on_exit`, with `ask` treated as `keep`.
   */
  close(background?: 'keep' | 'stop'): Promise<void>
}

/** What a task belongs to. */
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
  /** What it can reach; absent: everything the user can. If the sandbox is unavailable, the command is not run. */
  sandbox?: SandboxPolicy
  /** ms; `null`: no limit. Paused while the command waits for input at its terminal, if `canAnswer`. */
  timeoutMs: number | null
  /** Aborting stops everything the command started: SIGTERM, 5 s, SIGKILL. `run` does not wait for the last process. */
  signal: AbortSignal
  /** The newest raw output; bounded and lossy on purpose (the file has everything). */
  onOutput?: (raw: string) => void
  /** Whether a user can type at the terminal. */
  canAnswer?: boolean
}

/** How a task ended, and its output as plain text within `maxChars`. */
export interface TaskEnd {
  /** If the status is `running`, it was moved to the background: `text` is what it had printed by then. */
  task: Task
  /**
   * What the terminal would show, without colors: escape codes removed, redraws collapsed. Head and tail if longer than
   * `maxChars`.
   */
  text: string
  /** Characters of the whole plain text; bytes printed if part of it is no longer in memory. */
  totalChars: number
  truncated: boolean
  durationMs: number
  /** Background processes it left running. `close` stops them. */
  leftRunning: SessionProcess[]
  /** What the reader of the text should know: no terminal, no bash, an incomplete log. Sentences. */
  notes: string[]
  /** Hosts that its sandbox refused while it ran. */
  deniedHosts?: { host: string; port: number }[]
  /** Of a sandboxed command: whether the project was too large to be searched for secrets completely. */
  sandboxIsIncomplete?: boolean
  /** Why it was moved to the background. */
  moved?: 'by_user' | 'at_time_limit'
}

/**
 * Commands as tasks: each has its own session and process group with a PTY, its output on disk, and bounded memory
 * whatever it prints.
 */
export interface TerminalTasks {
  /**
   * Runs a command to its end, or until it is moved to the background. Rejects only if it could not be started (no
   * shell, missing folder, command too long), with a message for the user. After an abort it resolves within 300 ms;
   * what is still alive then is stopped in the background, and `close` waits for it.
   */
  run(start: TaskStart, maxChars: number): Promise<TaskEnd>
  /** Loads what the first command needs ahead of time. Optional; costs a few ms once. */
  warm(sandbox?: SandboxPolicy): void
  /** Stops everything still running, including what ended commands left behind, and waits for it. */
  close(): Promise<void>
}
