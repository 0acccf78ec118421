import type { TaskStatus } from './task'

/** The work that a call has given to a subagent. */
export interface AgentStart {
  /** The session whose agent made the call, and the one at the top of the family, which is a person's. */
  parentId: string
  rootId: string
  /** 1 for a subagent of a person's session. */
  depth: number
  callId: string
  /** The name of its spec. */
  agentType: string
  /** What it is to do, in a few words. */
  description: string
  background: boolean
  /** It may not change anything: by its own spec, or by that of one above it. */
  readOnly: boolean
  /** ms; absent: no limit. */
  timeoutMs?: number
}

/** How the work has ended. */
export interface AgentEnd {
  status: Exclude<TaskStatus, 'running'>
  /** Why, when it did not end by itself; a sentence. */
  reason?: string
  /** Length of its last message. */
  answerBytes: number
}

/** A subagent as the header of its session has it: the latest work that it was given, and how that stands. */
export interface AgentState extends AgentStart {
  status: TaskStatus
  reason?: string
  /** It waits until others have ended. */
  isQueued?: boolean
  /** ms since the epoch. */
  startedAt: number
  endedAt?: number
  answerBytes: number
}

/** A type of subagents that an agent has defined for its session. */
export interface SubagentType {
  name: string
  description: string
  systemPrompt: string
  /** Names of tools; never more than its maker has. */
  tools: string[]
}

/** Where an agent spec comes from. */
export type AgentSource = 'project' | 'user' | 'built-in'

/** An agent spec as a page lists it. */
export interface AgentView {
  name: string
  description: string
  source: AgentSource
  /** Absolute path. */
  path: string
  readOnly: boolean
  /** Absent: every tool that subagents can have. */
  tools?: string[]
  excludedTools: string[]
  subagents: string[]
  model?: string
  /** The nearer one of the same name, which is used in its place. */
  hiddenBy?: string
}

/** Why a spec is not used. */
export interface AgentProblem {
  path: string
  line?: number
  message: string
}

/** The specs for a project, and what is wrong with others. */
export interface AgentList {
  agents: AgentView[]
  problems: AgentProblem[]
}

/** How the ids of subagents' sessions begin; the id of the session at the top of the family follows. */
export const AGENT_ID = 'agent-'

export function isAgentId(sessionId: string): boolean {
  return sessionId.startsWith(AGENT_ID)
}

/** What the ids of all subagents of a family begin with. */
export function familyPrefix(rootId: string): string {
  return `${AGENT_ID}${rootId.replace(/^session-/, '')}-`
}
