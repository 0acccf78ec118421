import type { TaskPush, UsagePush } from '../../../../shared/events/push'
import type { Failure } from '../../../../shared/errors'
import type { Task, TaskOutputPage } from '../../../../shared/model/task/task'
import type { TerminalPush, UserTerminal } from '../../../../shared/model/task/terminal'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { BackgroundStart, TaskEnd, TaskStart } from '../task-supervisor'

/**
 * Increased with every change that an older host or client would not understand. It is part of the socket's name, so
 * that both versions can run side by side.
 */
export const PROTOCOL = 3

/** What a client sends with every command, because its settings and environment apply, not the host's. */
export interface StartSurroundings {
  /** Chosen by the client, so that it knows the task even if the host dies. */
  taskId: string
  env: Record<string, string>
  logBytes: number
}

/** A foreground command. */
export interface ForegroundStart extends StartSurroundings {
  start: Omit<TaskStart, 'signal' | 'onOutput'>
  maxChars: number
  /** Identifies it in `printed`; absent if the client does not show output. */
  outputId?: number
  /** At the time limit it is moved to the background instead of being stopped. */
  moveAtLimit: boolean
}

/** A terminal of the user's own. The client's settings and environment apply. */
export interface TerminalStart {
  terminalId: string
  sessionId: string
  shell: string
  args: string[]
  cwd: string
  env: Record<string, string>
  cols: number
  rows: number
  startedAt: number
}

/** What a client can request about the user's terminals. `null` or false: there is no such terminal. */
export interface TerminalRequests {
  /** Subscribes to `terminals`. */
  followTerminals: { params: Record<string, never>; result: UserTerminal[] }
  openTerminal: { params: TerminalStart; result: UserTerminal }
  restartTerminal: { params: { terminalId: string; startedAt: number }; result: UserTerminal | null }
  terminalInput: { params: { terminalId: string; data: string }; result: boolean }
  resizeTerminal: { params: { terminalId: string; cols: number; rows: number }; result: boolean }
  watchTerminal: { params: { terminalId: string; isWatched: boolean }; result: UserTerminal | null }
  /** The text that the agent of a session may read. */
  terminalScreen: { params: { terminalId: string; sessionId: string }; result: string | null }
  closeTerminal: { params: { terminalId: string }; result: boolean }
  /** Sends `terminalPushed` with this number until `leaveTerminal`. */
  viewTerminal: { params: { viewId: number; terminalId: string }; result: boolean }
  leaveTerminal: { params: { viewId: number }; result: null }
}

/** What the host sends about the user's terminals. */
export interface TerminalNotifications {
  terminals: { terminals: UserTerminal[] }
  terminalPushed: { viewId: number; push: TerminalPush }
}

/** What a client can request. `hello` must come first; the host refuses every other method before it. */
export interface HostRequests extends TerminalRequests {
  hello: { params: { token: string }; result: { pid: number } }
  start: { params: BackgroundStart & StartSurroundings; result: Task }
  /** Announces a command with this environment. */
  warm: { params: { env: Record<string, string>; sandbox?: SandboxPolicy }; result: null }
  /** Cancelling it aborts the command. */
  run: { params: ForegroundStart; result: TaskEnd }
  /** The tasks it supervises now. */
  list: { params: Record<string, never>; result: Task[] }
  output: { params: { taskId: string; before?: number; bytes: number }; result: TaskOutputPage | null }
  /**
   * Resolves with the ended task, with `null` if the host has no such task (any more), or with the current state after
   * `ms` or when cancelled.
   */
  wait: { params: { taskId: string; ms: number }; result: Task | null }
  /** Stops those of these tasks that it has; resolves when all their processes are gone. */
  stop: { params: { taskIds: string[]; reason?: string }; result: Task[] }
  input: { params: { taskId: string; data: string }; result: boolean }
  moveToBackground: { params: { taskId: string }; result: Task | null }
  /** Subscribes to `changed` and `removed`; returns the current tasks. */
  follow: { params: Record<string, never>; result: Task[] }
  /** Sends `pushed` with this number until `unwatch`. False: no such task. */
  watch: { params: { watchId: number; taskId: string }; result: boolean }
  unwatch: { params: { watchId: number }; result: null }
  /** Sends `measured` once a second while it is on. */
  measure: { params: { on: boolean }; result: null }
  /**
   * Before it disconnects, a client can stop background tasks: those it started, or also those of disconnected clients.
   */
  leave: { params: { stop: 'mine' | 'all' }; result: { stopped: number } }
}

/** What the host sends. */
export interface HostNotifications extends TerminalNotifications {
  changed: { tasks: Task[] }
  removed: { taskIds: string[] }
  printed: { outputId: number; text: string }
  pushed: { watchId: number; push: TaskPush }
  measured: UsagePush
}

/** How a failure is sent, in the data of a JSON-RPC error; `systemCode` is that of a system error. */
export interface FailureData {
  failure?: Failure
  systemCode?: string
}
