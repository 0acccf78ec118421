import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionProcess } from '../process/kill/kill-process-tree'
import type { Task } from '../../../shared/model/task/task'
import type { TaskStart } from './task-supervisor'
import type { ExitStatus } from '../process/shell-process'

/** How to start a command, whatever it runs in. */
export interface ProcessStart {
  shell: string
  command: string
  cwd: string
  env: Record<string, string>
  /** Tags everything the command starts: TRESTLE_TASK in its environment. */
  taskId: string
  /** No call waits for its output; the user may view its terminal and type there. */
  background?: boolean
  /** What it can reach; absent: everything the user can. */
  sandbox?: SandboxPolicy
}

/**
 * Receives the events of a command: any number of `data`, and `exit` and `end` once each in either order; `data` can
 * come between the two.
 */
export interface ProcessEvents {
  /** The command has started; comes before all other events. */
  started?: () => void
  /** The bytes are valid only during the call. Returns false to pause until `resume`. */
  data: (bytes: Uint8Array) => boolean
  /**
   * The command ended, and `data` has received everything it printed: none of its output may come later, however busy
   * the machine is. Background processes it left may still run and print.
   */
  exit: (status: ExitStatus) => void
  /** Nothing more will be printed: no process has the terminal open anymore. */
  end: () => void
  /** It could not be started; no other event follows. */
  error: (error: Error) => void
}

/** A running command. */
export interface RunningProcess {
  pid: number | undefined
  /** Continues reading after `data` returned false. */
  resume(): void
  /** Passes unread output to `data`. */
  readAll?(): void
  /** Passes on what the user types; lost if there is no terminal, or no program reads it. */
  write(data: string): void
  /** Sends SIGTERM to everything it started, SIGKILL after `graceMs`; resolves when nothing is left. */
  stop(graceMs: number): Promise<void>
  /** What it left running, after its exit. Cheap if nothing is left. */
  leftRunning(): Promise<SessionProcess[]>
  /** After its exit: whether a filter has received all of its output and is still working on it. */
  isStillFiltered?(): Promise<boolean>
  /** Hosts that its sandbox refused since it started. */
  deniedHosts?(): { host: string; port: number }[]
  /** Whether its sandbox may expose secrets, because the project is too large to be searched completely. */
  isIncomplete?(): boolean
  /** What the reader of its output should know about how it runs, or ran: sentences. */
  notes?(): string[]
  /** Closes our end of the terminal. */
  release(): void
}

/** A way to run commands: in a terminal of this system, or in pipes. */
export interface Starter {
  /** Starts a command. Throws if not even a terminal can be opened; everything else is reported as an event. */
  start(start: ProcessStart, events: ProcessEvents): RunningProcess
  /** Prepares for commands with this environment and sandbox. */
  warm(env: () => Record<string, string>, sandbox?: SandboxPolicy): void
  /** Releases what `warm` prepared. Running commands must be stopped first. */
  close(): void
}

export interface TaskRunOptions {
  taskId: string
  start: TaskStart
  maxChars: number
  graceMs: number
  shell: string
  env: Record<string, string>
  outputPath: string
  /** Maximum bytes of the log on disk. */
  logBytes?: number
  starter: Starter
  notes: readonly string[]
  /** No call waits for its output as text, from the start. */
  background?: boolean
  /** At the time limit, move to the background for this long (ms; `null`: no limit) instead of stopping. */
  moveAtLimit?: { limitMs: number | null }
  /** The command runs. */
  onStarted?: () => void
  /** It has printed something. */
  onOutput?: () => void
  /** Another part of `task()` has changed. */
  onChange?: () => void
  /** Nothing of the task is left: no process, no open file. */
  onGone?: () => void
}

/** The part of a task that is known from its start and never changes. */
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
