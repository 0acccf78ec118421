import type { RecordedEvent } from '../../src/shared/events/event'
import type { ScriptStep } from '../../test/support/model-script'

/** The six groups; each is a folder below `evals/tasks`. */
export const GROUPS = ['hidden-tests', 'refactoring', 'finding', 'long-sessions', 'safety', 'tools'] as const
export type Group = (typeof GROUPS)[number]

/** Text that `setup` knows and prompts, scripts and checks need: `{{name}}` in a prompt stands for it. */
export type Values = Readonly<Record<string, string>>

/** The folders of one run. All of them are below `root`, which is removed afterwards. */
export interface Place {
  root: string
  /** The agent works here. */
  project: string
  /** TRESTLE_HOME. */
  home: string
}

/** What a task needs beside its files. */
export interface Setup {
  values?: Values
  /** Merged into `config.toml`. */
  config?: Record<string, unknown>
  /** Written to `mcp.json`. */
  mcpServers?: Record<string, unknown>
  /** Ends what `setup` has started. */
  close?(): Promise<void>
}

/** What a scripted step can see of the request that it answers. */
export interface Asked {
  /** All that the request says, as text. */
  said: string
  values: Values
}

export type SolutionStep = ScriptStep | ((asked: Asked) => ScriptStep)

/** What the scripted model does: it proves the task and its check without a real model. */
export interface Solution {
  /** The steps of all prompts, in order. */
  steps: readonly SolutionStep[]
  /** Those of subagents, by a text that the prompt of each contains. */
  agents?: Readonly<Record<string, readonly SolutionStep[]>>
  /** What it answers when it is asked to summarise the conversation. */
  summary?: string
}

/** What a check can look at. */
export interface FinishedRun extends Place {
  /** The answer to the last prompt. */
  answer: string
  /** The log of the session, prompt after prompt. */
  events: readonly RecordedEvent[]
  values: Values
  /** A file of the project; undefined when it is not there. */
  read(path: string): string | undefined
  /** Runs a file of the task's `hidden` folder against the project; what it complains about, undefined when it passes. */
  hiddenTest(file: string): Promise<string | undefined>
}

/** A task: `evals/tasks/<group>/<name>/task.ts`, beside it `files/` (the project) and `hidden/` (tests that the agent never sees). */
export interface EvalTask {
  /** What it takes to pass, in one sentence. */
  about: string
  /** Several are sent one after the other, in the same session. */
  prompts: readonly string[]
  /** Makes files that are not in `files/`, the state of the repository, and servers. It runs after `files/` was copied. */
  setup?(place: Place): Setup | void | Promise<Setup>
  /** Tokens; smaller than the model's own, so that trimming and compaction are needed. */
  contextWindow?: number
  /** For all prompts together; default 600. */
  timeLimitS?: number
  /** What is wrong with the result, in sentences; empty: it passes. */
  check(run: FinishedRun): string[] | Promise<string[]>
  good: Solution
  /** A plausible failure, which the check has to catch. */
  bad: Solution
}

/** A task with where it comes from. */
export interface LoadedTask extends EvalTask {
  group: Group
  /** `group/name`. */
  id: string
  folder: string
}
