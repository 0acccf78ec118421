import type { SubagentType } from '../../../shared/model/agent'
import type { TaskStatus } from '../../../shared/model/task'

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
  /** A new one of this type, or the one that goes on. */
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
  /** Gives work in the background: it goes on after the call. Rejects with a `CodedError` when it cannot be begun. */
  start(work: AgentWork): Promise<WorkingAgent>
  /** Gives work and waits for its end; when `signal` aborts it is stopped. The user may send it to the background meanwhile: then it goes on after the call. */
  run(work: AgentWork, signal: AbortSignal, progress: (text: string) => void): Promise<AgentOutcome | WorkingAgent>
  /** The tools that types made here can have. */
  tools(): Promise<readonly string[]>
  /** Makes a type of subagents for the session of the call. */
  define(definition: SubagentType): void
}
