import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import type { SessionProcess } from '../process/kill-process-tree'
import type { Task } from '../../../shared/model/task'
import type { TaskStart } from './task-supervisor'
import type { ExitStatus } from '../process/shell-process'

/** What a command is started with, whatever it runs in. */
export interface ProcessStart {
  shell: string
  command: string
  cwd: string
  env: Record<string, string>
  /** Marks everything the command starts: TRESTLE_TASK in its environment. */
  taskId: string
  /** Nobody waits for its output; a person may look at its terminal, and type there. */
  background?: boolean
  /** What it can reach; absent: everything the user can. */
  sandbox?: SandboxPolicy
}

/** Who hears of it. Calls come in this order: any number of `data`, and `exit` and `end` once each in either order; `data` can come between the two. */
export interface ProcessEvents {
  /** The command runs; before everything else. */
  begun?: () => void
  /** The bytes are only valid during the call. False: no more until `resume`. */
  data: (bytes: Uint8Array) => boolean
  /**
   * The command ended, and `data` was given everything it had printed by then: nothing of that may come later, however busy the machine is. What it left in the
   * background may still run and print.
   */
  exit: (status: ExitStatus) => void
  /** Nothing more will be printed: nobody has the terminal open any more. */
  end: () => void
  /** It could not be started; nothing else is called. */
  error: (error: Error) => void
}

/** A command that runs. */
export interface RunningProcess {
  pid: number | undefined
  /** Reads on after `data` said no. */
  resume(): void
  /** Gives `data` what was printed so far and was not read yet. */
  readAll?(): void
  /** Passes on what a person types at the terminal; lost when there is no terminal, or nobody reads it. */
  write(data: string): void
  /** SIGTERM to everything it started, SIGKILL after `graceMs`; resolves when nothing is left. */
  stop(graceMs: number): Promise<void>
  /** What it left running, after its exit. Cheap when there is nothing. */
  leftRunning(): Promise<SessionProcess[]>
  /** After its exit: whether something that filters its output has got all of it and is still at work. */
  isStillFiltered?(): Promise<boolean>
  /** Hosts that its sandbox refused since it began. */
  deniedHosts?(): { host: string; port: number }[]
  /** Whether its sandbox may show secrets, because the project is too large to be searched as a whole. */
  isIncomplete?(): boolean
  /** What the reader of its output should know of how it runs, or ran: sentences. */
  notes?(): string[]
  /** Closes our end of the terminal. */
  release(): void
}

/** A way to run commands: in a terminal of this system, or in pipes. */
export interface Starter {
  /** Starts a command. Throws when there is not even a terminal for it; everything else comes as an event. */
  start(start: ProcessStart, events: ProcessEvents): RunningProcess
  /** Gets ready for commands with this environment and sandbox. */
  warm(env: () => Record<string, string>, sandbox?: SandboxPolicy): void
  /** Lets go of what `warm` made. Commands still running are stopped before. */
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
