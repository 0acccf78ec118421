import type { Effort } from '../turn/effort'
import type { TaskStatus } from '../task/task'

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
  /** A short description of its task. */
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
  /** Why, when it was ended; a sentence. */
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

/** What a spec says of an agent, with everything that it extends. */
export interface AgentDefinition {
  /** As it is chosen and called: lowercase letters, digits and single hyphens. */
  name: string
  /** Display name; default: the name. */
  title?: string
  /** Absolute path of the file; empty for one that an agent has defined. */
  path: string
  description: string
  /** With its arguments filled in; empty: the usual prompt alone. */
  systemPrompt: string
  /** Absent: every tool. */
  tools?: readonly string[]
  excludeTools: readonly string[]
  /** The types of subagents that it may start. */
  subagents: readonly string[]
  /** Those that its own file refers to, even if others have the same names. */
  ownTypes?: readonly AgentDefinition[]
  /** `provider/model`, or `small`; absent: that of the session, or of the parent. */
  model?: string
  /** How hard it is to think; absent: as its parent, where it has its model, or else as usual. */
  effort?: Effort
  maxSteps?: number
  /** Equal steps in a row that end its turn; absent: 12. */
  maxRepeats?: number
  /** Only read-only tools are allowed, regardless of rules and modes. */
  readOnly: boolean
  /** What people are shown in a new session with it. */
  greeting?: string
}

/** How a person names the agent that a session is to run as: one of the specs for its folder, or a file. */
export type AgentChoice = { name: string } | { file: string }

/** The agent that a person's session runs as, as it was chosen. */
export interface SessionAgent {
  name: string
  title?: string
  /** It may change nothing. */
  readOnly?: true
  greeting?: string
  /**
   * Set when a file outside of the agent folders defines it: what that said when it was chosen, so that the session
   * stays as it was started.
   */
  definition?: AgentDefinition
}

/** Where an agent spec comes from. */
export type AgentSource = 'project' | 'user' | 'plugin' | 'built-in'

/** An agent spec as a page lists it. */
export interface AgentView {
  name: string
  title?: string
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

/** What the form of an agent shows and writes; the rest of its file stays as it is. */
export interface AgentFields {
  /** Lowercase letters, digits and single hyphens. */
  name: string
  description: string
  systemPrompt: string
  /** Absent: every tool. */
  tools?: string[] | undefined
  excludeTools: string[]
  subagents: string[]
  /** `provider/model`, or `small`; absent: as its parent. */
  model?: string | undefined
  effort?: Effort | undefined
  maxSteps?: number | undefined
  readOnly: boolean
}

/** What is wrong with a spec. */
export interface AgentProblem {
  path: string
  line?: number
  message: string
  /** `false`: the agent can be used, without what is wrong. Default true: it is left out. */
  isFatal?: boolean
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
