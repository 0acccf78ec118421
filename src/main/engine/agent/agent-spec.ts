import type { AgentProblem, AgentSource } from '../../../shared/model/agent'
import type { Effort } from '../../../shared/model/effort'

/** In place of a model: the small one of the settings, or that of the same provider. */
export const SMALL_MODEL = 'small'

/** What a file says of an agent, before what it extends is put beneath it. */
export interface WrittenSpec {
  name: string
  source: AgentSource
  path: string
  description?: string
  /** The name of another spec, which fills in what this one does not say. */
  extend?: { name: string; line?: number }
  systemPrompt?: string
  promptArgs: Readonly<Record<string, string>>
  tools?: readonly string[]
  excludeTools: readonly string[]
  subagents?: readonly string[]
  model?: string
  effort?: Effort
  maxSteps?: number
  readOnly: boolean
}

/** An agent as it is used. */
export interface AgentSpec {
  name: string
  source: AgentSource | 'session'
  path: string
  description: string
  /** With its arguments filled in; empty: the usual prompt of subagents alone. */
  systemPrompt: string
  /** Absent: every tool that subagents can have. */
  tools?: readonly string[]
  excludeTools: readonly string[]
  /** The types it may start itself. */
  subagents: readonly string[]
  /** `provider/model`, or `small`; absent: its parent's. */
  model?: string
  /** How hard it is to think; absent: as its parent, where it has its model, or else as usual. */
  effort?: Effort
  maxSteps?: number
  /** It may call nothing that changes anything, whatever rules and modes say. */
  readOnly: boolean
}

export type ReadSpec = { spec: WrittenSpec } | { problem: AgentProblem }

/** A file with a spec, or beside one. */
export interface SpecFile {
  path: string
  text: string
}
