import type { AgentDefinition, AgentProblem, AgentSource } from '../../../shared/model/agent'
import type { Effort } from '../../../shared/model/effort'

/** In place of a model: the small one of the settings, or that of the same provider. */
export const SMALL_MODEL = 'small'

/** What a file says of an agent, before what it extends is put beneath it. */
export interface WrittenSpec {
  name: string
  /** The name as it is written, where that is another one. */
  title?: string
  source: AgentSource
  path: string
  description?: string
  /** What fills in what this one does not say: another spec, by its name or by its file. */
  extend?: { name: string; line?: number; spec?: WrittenSpec }
  systemPrompt?: string
  promptArgs: Readonly<Record<string, string>>
  tools?: readonly string[]
  excludeTools: readonly string[]
  subagents?: readonly string[]
  /** Those of them that the file leads to. */
  ownTypes?: readonly WrittenSpec[]
  model?: string
  effort?: Effort
  maxSteps?: number
  readOnly: boolean
  greeting?: string
}

/** An agent as it is used. */
export interface AgentSpec extends AgentDefinition {
  source: AgentSource | 'session'
}

/** What a file gives: a spec unless the whole file is of no use, and what is wrong with it. */
export interface ReadSpec {
  spec?: WrittenSpec
  problems: AgentProblem[]
}

/** A file with a spec, or beside one. */
export interface SpecFile {
  path: string
  text: string
}

/** What is wrong with a file of an agent, as one line. */
export function problemText({ path, line, message }: AgentProblem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${message}`
}
