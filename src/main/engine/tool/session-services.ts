import type { Task, TaskStatus } from '../../../shared/model/task/task'
import type { BackgroundStart, TaskOwner } from '../task/task-supervisor'
import type { SubagentType } from '../../../shared/model/session/agent'
import type { KeptFile, RestoreStep } from '../../../shared/model/session/checkpoint'
import type { ToolDetails } from '../../../shared/model/approval/preview'

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
  /** Whether a user is there, and the session starts a turn when a task ends after the last one. */
  readonly interactive: boolean
  /** Whether that person can type at a command's terminal. */
  readonly canType: boolean
  /**
   * Starts a command in the background; from then on the agent must be notified of its end. Rejects, with a message to
   * act on, when it cannot be started.
   */
  start(start: BackgroundStart): Promise<Task>
  /** A command that a call waited for was moved to the background: the same holds for it. */
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

/** The screens of the user's terminals that the agent may watch. */
export interface TerminalScreens {
  /** The text on the screen; undefined: there is no such terminal, or it is not watched. */
  screen(terminalId: string): Promise<string | undefined>
}

/** A type of subagents as the tools name it. */
export interface OfferedAgent {
  name: string
  description: string
}

/** What a call gives to a subagent. */
export interface AgentWork {
  callId: string
  prompt: string
  description: string
  /** A new one of this type, or the one to resume. */
  agent: { type: string } | { resume: string }
  background: boolean
  /** ms; absent: the background's own, else none. */
  timeoutMs?: number
}

export interface WorkingAgent {
  agentId: string
  agentType: string
  isQueued: boolean
}

/** How the work of a subagent has ended. */
export interface AgentOutcome {
  agentId: string
  agentType: string
  status: Exclude<TaskStatus, 'running'>
  reason?: string
  /** Its last message. */
  answer: string
}

/** The subagents of one session, as its tools need them. */
export interface SessionAgents {
  types(): Promise<OfferedAgent[]>
  /** What is wrong with this type or id, as a sentence the model can act on; undefined when it can be given work. */
  problem(agent: AgentWork['agent'], background: boolean): Promise<string | undefined>
  /**
   * Starts work in the background: it keeps running after the call. Rejects with a `CodedError` when it cannot start.
   */
  start(work: AgentWork): Promise<WorkingAgent>
  /**
   * Gives work and waits for its end; when `signal` aborts it is stopped. The user may send it to the background
   * meanwhile: then it keeps running after the call.
   */
  run(work: AgentWork, signal: AbortSignal, progress: (text: string) => void): Promise<AgentOutcome | WorkingAgent>
  /** The tools that types made here can have. */
  tools(): Promise<readonly string[]>
  /** Makes a type of subagents for the session of the call. */
  define(definition: SubagentType): void
}

/** What going back to a checkpoint of the running turn would do. */
export interface RestoreOutlook {
  /** Steps that would leave the conversation. */
  steps: number
  /** Files that would be restored; empty unless requested. */
  restores: RestoreStep[]
  kept: KeptFile[]
}

/** The checkpoints of one session, as its tools need them. */
export interface SessionCheckpoints {
  /** Changes nothing; `problem` says why the message cannot be sent, and what to do instead. */
  previewDMail(
    mail: Omit<Extract<ToolDetails, { kind: 'd-mail' }>, 'kind'>,
  ): Promise<RestoreOutlook | { problem: string }>
}
