import type { Task, TaskStatus } from '../../../shared/model/task/task'
import type { BackgroundStart, TaskOwner } from '../task/task-supervisor'
import type { SubagentType } from '../../../shared/model/session/agent'
import type { KeptFile, RestoreStep } from '../../../shared/model/session/checkpoint'
import type { ToolDetails } from '../../../shared/model/approval/preview'

/** The end of a task's output, as plain text. */
export interface TaskTail {
  text: string
  /** The total output in bytes, and how many of them `text` is from. */
  totalBytes: number
  shownBytes: number
}

/** The tasks of one session, as its tools need them. */
export interface SessionTasks {
  owner(callId: string): TaskOwner
  /** Whether a user is available, and the session starts a turn when a task ends after the last turn. */
  readonly interactive: boolean
  /** Whether the user can type in a command's terminal. */
  readonly canType: boolean
  /**
   * Starts a command in the background; from then on, the agent must be notified of its end. Rejects, with a message to
   * act on, when it cannot be started.
   */
  start(start: BackgroundStart): Promise<Task>
  /** Call when a command that a call waited for was moved to the background: its end is reported in the same way. */
  moved(task: Task): void
  /** Background tasks, running ones first, then newest first. */
  list(filter: { activeOnly: boolean; limit: number }): Promise<Task[]>
  /** The task, or what is wrong with this id: it does not exist, or belongs to another session. */
  find(taskId: string): Promise<{ task: Task } | { problem: string }>
  /** Resolves when the task has ended, after `ms`, or when `signal` aborts. */
  wait(taskId: string, ms: number, signal: AbortSignal): Promise<Task>
  tail(task: Task, maxBytes: number): Promise<TaskTail>
  /** Ends the task and everything it started; has no effect after it has ended. */
  stop(taskId: string, reason: string): Promise<Task>
}

/** The screens of the user's terminals that the agent is allowed to watch. */
export interface TerminalScreens {
  /** The text on the screen; undefined when the terminal does not exist or is not watched. */
  screen(terminalId: string): Promise<string | undefined>
}

/** A type of subagents as the tools list it. */
export interface OfferedAgent {
  name: string
  description: string
}

/** The work that a call gives to a subagent. */
export interface AgentWork {
  callId: string
  prompt: string
  description: string
  /** The type of a new subagent, or the subagent to resume. */
  agent: { type: string } | { resume: string }
  background: boolean
  /** In ms; absent: the default limit in the background, otherwise no limit. */
  timeoutMs?: number
}

export interface WorkingAgent {
  agentId: string
  agentType: string
  isQueued: boolean
}

/** How a subagent's work ended. */
export interface AgentOutcome {
  agentId: string
  agentType: string
  status: Exclude<TaskStatus, 'running'>
  reason?: string
  /** The subagent's last message. */
  answer: string
}

/** The subagents of one session, as its tools need them. */
export interface SessionAgents {
  types(): Promise<OfferedAgent[]>
  /**
   * What is wrong with this type or id, as a sentence that the model can act on; undefined when it can be given work.
   */
  problem(agent: AgentWork['agent'], background: boolean): Promise<string | undefined>
  /**
   * Starts work in the background: it keeps running after the call. Rejects with a `CodedError` when it cannot start.
   */
  start(work: AgentWork): Promise<WorkingAgent>
  /**
   * Gives work to a subagent and waits until it ends; it is stopped when `signal` aborts. If the user sends it to the
   * background in the meantime, it keeps running after the call.
   */
  run(work: AgentWork, signal: AbortSignal, progress: (text: string) => void): Promise<AgentOutcome | WorkingAgent>
  /** The tools that types defined here can have. */
  tools(): Promise<readonly string[]>
  /** Defines a type of subagents for the session of the call. */
  define(definition: SubagentType): void
}

/** What going back to a checkpoint of the running turn would do. */
export interface RestoreOutlook {
  /** The number of steps that would be removed from the conversation. */
  steps: number
  /** Files that would be restored; empty unless requested. */
  restores: RestoreStep[]
  kept: KeptFile[]
}

/** The checkpoints of one session, as its tools need them. */
export interface SessionCheckpoints {
  /** Changes nothing; `problem` explains why the message cannot be sent and what to do instead. */
  previewDMail(
    mail: Omit<Extract<ToolDetails, { kind: 'd-mail' }>, 'kind'>,
  ): Promise<RestoreOutlook | { problem: string }>
}
