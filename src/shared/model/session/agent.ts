import type { Effort } from '../turn/effort'
import type { TaskStatus } from '../task/task'

/** The work that a call gives to a subagent. */
export interface AgentStart {
  /** The session whose agent made the call, and the main session at the top. */
  parentId: string
  rootId: string
  /** 1 for a subagent of a main session. */
  depth: number
  callId: string
  /** The name of its spec. */
  agentType: string
  /** A short description of its task. */
  description: string
  background: boolean
  /** It must not change anything: by its own spec, or by that of an ancestor. */
  readOnly: boolean
  /** ms; absent: no limit. */
  timeoutMs?: number
}

/** How the work has ended. */
export interface AgentEnd {
  status: Exclude<TaskStatus, 'running'>
  /** Why it did not complete; a sentence. */
  reason?: string
  /** Length of its last message. */
  answerBytes: number
}

/** A subagent in the header of its session: its latest work, and the state of that work. */
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
  /** Names of tools; never more than the defining agent has. */
  tools: string[]
}

/** The definition of an agent, including everything that its spec extends. */
export interface AgentDefinition {
  /** The name to choose and call it by: lowercase letters, digits and single hyphens. */
  name: string
  /** Display name; default: the name. */
  title?: string
  /** Absolute path of the file; empty for one that an agent has defined. */
  path: string
  description: string
  /** With its arguments filled in; empty: only the default prompt. */
  systemPrompt: string
  /** Absent: every tool. */
  tools?: readonly string[]
  excludeTools: readonly string[]
  /** The types of subagents that it can start. */
  subagents: readonly string[]
  /** Those that its own file refers to, even if others have the same names. */
  ownTypes?: readonly AgentDefinition[]
  /** `provider/model`, or `small`; absent: the model of the session, or of the parent. */
  model?: string
  /** Its reasoning effort; absent: its parent's, if it has the same model, or otherwise the default. */
  effort?: Effort
  maxSteps?: number
  /** Number of identical consecutive steps that end its turn; absent: 12. */
  maxRepeats?: number
  /** Only read-only tools are allowed, regardless of rules and modes. */
  readOnly: boolean
  /** Shown to the user in a new session with it. */
  greeting?: string
}

/** The user's choice of the agent for a session: one of the specs for its folder, or a file. */
export type AgentChoice = { name: string } | { file: string }

/** The agent of a user's session, as it was chosen. */
export interface SessionAgent {
  name: string
  title?: string
  /** It must not change anything. */
  readOnly?: true
  greeting?: string
  /**
   * Set when a file outside the agent folders defines it: the definition when it was chosen, so that the session stays
   * as it was started.
   */
  definition?: AgentDefinition
}

/** Where an agent spec comes from. */
export type AgentSource = 'project' | 'user' | 'plugin' | 'built-in'

/** An agent spec in a list. */
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
  /** The nearer one with the same name, which is used instead. */
  hiddenBy?: string
}

/** The fields in the form of an agent; the rest of its file stays unchanged. */
export interface AgentFields {
  /** Lowercase letters, digits and single hyphens. */
  name: string
  description: string
  systemPrompt: string
  /** Absent: every tool. */
  tools?: string[] | undefined
  excludeTools: string[]
  subagents: string[]
  /** `provider/model`, or `small`; absent: the parent's model. */
  model?: string | undefined
  effort?: Effort | undefined
  maxSteps?: number | undefined
  readOnly: boolean
}

/** A problem in a spec. */
export interface AgentProblem {
  path: string
  line?: number
  message: string
  /** `false`: the agent can be used without the invalid part. Default true: the agent is excluded. */
  isFatal?: boolean
}

/** The specs for a project, and the problems in others. */
export interface AgentList {
  agents: AgentView[]
  problems: AgentProblem[]
}

/** Prefix of the session ids of subagents; the id of the main session follows. */
export const AGENT_ID = 'agent-'

export function isAgentId(sessionId: string): boolean {
  return sessionId.startsWith(AGENT_ID)
}

/** Prefix of the ids of all subagents of a main session. */
export function familyPrefix(rootId: string): string {
  return `${AGENT_ID}${rootId.replace(/^session-/, '')}-`
}
