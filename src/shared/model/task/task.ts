import type { CommandSandbox } from './sandbox'

/** The state of a task. `lost`: the process that ran it has ended. */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped' | 'timed_out' | 'lost'

/** A command with its own terminal: everything Bash starts is one, even in the foreground. */
export interface Task {
  taskId: string
  command: string
  description?: string
  cwd: string
  status: TaskStatus
  /** The sandbox it runs in; absent for commands older than sandboxes, and for subagents. */
  sandbox?: CommandSandbox
  /** The session whose agent started it, and the tool call. Absent if the user started it. */
  sessionId?: string
  callId?: string
  /** Real path of the project. */
  folder?: string
  /** The place it runs on; absent: this machine. */
  place?: string
  /** `false` while a call waits for it. */
  background?: boolean
  pid?: number
  /** ms since the epoch. */
  startedAt: number
  endedAt?: number
  /** ms; absent: no limit. */
  timeoutMs?: number
  /** Exit code; absent while running and when ended by a signal. */
  exitCode?: number
  signal?: string
  /** Why it was stopped, in the words of the user or program that stopped it. */
  stopReason?: string
  /** Absolute path of the file with the command's output: all of it, or its start if `newestPath` is set. */
  outputPath: string
  /** The newest output once the log has rotated; the output between the two was dropped. */
  newestPath?: string
  /** Total bytes of output, whether or not they are still stored. */
  outputBytes: number
  /** The last line with content, as plain text of at most 200 characters. */
  lastLine?: string
  /** It waits for the user at its terminal: what it asks, and since when (ms since the epoch). */
  prompt?: { text: string; since: number }
  /**
   * It has waited for the user at its terminal: what it asked last, and whether the user typed something (never what).
   * Kept when the task continues.
   */
  waited?: { text: string; typed: boolean }
  /**
   * Set for a subagent at work: the task's id is the id of its session. `isQueued`: it waits until others have ended.
   */
  agent?: { type: string; isQueued: boolean; /** Calls it has made so far. */ calls?: number }
  /** A problem with storing its output, e.g. a full disk; a sentence. */
  problem?: string
}

/** A task in a message about it. The command is cut at 200 characters. */
export type TaskNotification = Pick<
  Task,
  | 'taskId'
  | 'command'
  | 'description'
  | 'status'
  | 'exitCode'
  | 'signal'
  | 'stopReason'
  | 'startedAt'
  | 'endedAt'
  | 'agent'
>

/**
 * A notification about a background task that the agent has not received yet: its end, which may still be pending, or
 * (`now`) its current state, on request.
 */
export interface PendingNotification {
  taskId: string
  now?: true
}

/** One process of a task. */
export interface TaskProcess {
  pid: number
  parentPid: number
  command: string
  /** Percent of one core. */
  cpu: number
  memoryBytes: number
}

/** Current resource usage of a task, over its whole process tree, including detached processes. */
export interface TaskUsage {
  taskId: string
  /** Percent of one core. */
  cpu: number
  memoryBytes: number
  processes: TaskProcess[]
  /** TCP ports its processes listen on. */
  ports: { port: number; address: string; pid: number }[]
}

/**
 * A process that a task has left running: the Trestle process that supervised the task has exited, or the task has
 * ended.
 */
export interface Orphan {
  pid: number
  taskId: string
  command: string
  memoryBytes: number
  /** ms since the epoch. */
  startedAt: number
  /** Its task has ended, and the Trestle process that supervised it is still running. */
  taskEnded?: true
}

/** A chunk of a task's raw output. Offsets are in bytes of the whole output. */
export interface TaskOutputPage {
  text: string
  from: number
  to: number
  total: number
  /** Bytes missing right before `from`, dropped when the log rotated. */
  dropped: number
}
