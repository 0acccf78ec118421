import type { Task } from '../../../shared/model/task'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionProcess } from './session-processes'

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
