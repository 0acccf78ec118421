import type { TaskPush, UsagePush } from '../../../../shared/events/push'
import type { Failure } from '../../../../shared/errors'
import type { Task, TaskOutputPage } from '../../../../shared/model/task'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import type { BackgroundStart, TaskEnd, TaskStart } from '../task-supervisor'

/** Raised by every change that an older host or client would not understand. It is part of the socket's name: both kinds then run side by side. */
export const PROTOCOL = 2

/** What a client gives with every command, because its settings and environment count, not the host's. */
export interface StartSurroundings {
  /** Chosen by the client, so that it knows the task even when the host dies. */
  taskId: string
  env: Record<string, string>
  logBytes: number
}

/** A command that a call waits for. */
export interface ForegroundStart extends StartSurroundings {
  start: Omit<TaskStart, 'signal' | 'onOutput'>
  maxChars: number
  /** Names it in `printed`; absent when nobody looks. */
  outputId?: number
  /** At the time limit it is moved to the background instead of being stopped. */
  moveAtLimit: boolean
}

/** What a client can ask. Every method but `hello`, which must come first, is refused before it. */
export interface HostRequests {
  hello: { params: { token: string }; result: { pid: number } }
  start: { params: BackgroundStart & StartSurroundings; result: Task }
  /** A command with this environment is to be expected. */
  warm: { params: { env: Record<string, string>; sandbox?: SandboxPolicy }; result: null }
  /** Cancelling it aborts the command. */
  run: { params: ForegroundStart; result: TaskEnd }
  /** What it has in custody just now. */
  list: { params: Record<string, never>; result: Task[] }
  output: { params: { taskId: string; before?: number; bytes: number }; result: TaskOutputPage | null }
  /** Answers when the task has ended, `null` when it has no such task (any more), and with the task as it stands after `ms` or when cancelled. */
  wait: { params: { taskId: string; ms: number }; result: Task | null }
  /** Stops what it has of these; resolves when nothing of them is left. */
  stop: { params: { taskIds: string[]; reason?: string }; result: Task[] }
  input: { params: { taskId: string; data: string }; result: boolean }
  moveToBackground: { params: { taskId: string }; result: Task | null }
  /** From now on `changed` and `removed` are told; answers what it has just now. */
  follow: { params: Record<string, never>; result: Task[] }
  /** `pushed` with this number is told until `unwatch`. False: no such task. */
  watch: { params: { watchId: number; taskId: string }; result: boolean }
  unwatch: { params: { watchId: number }; result: null }
  /** `measured` is told once a second while it is on. */
  measure: { params: { on: boolean }; result: null }
  /** Before it goes, a client can stop background tasks: those it started itself, or those of clients that are gone as well. */
  leave: { params: { stop: 'mine' | 'all' }; result: { stopped: number } }
}

/** What the host tells. */
export interface HostNotifications {
  changed: { tasks: Task[] }
  removed: { taskIds: string[] }
  printed: { outputId: number; text: string }
  pushed: { watchId: number; push: TaskPush }
  measured: UsagePush
}

/** How a failure travels: in the data of a JSON-RPC error; `code` of the system for one of its own. */
export interface FailureData {
  failure?: Failure
  systemCode?: string
}
