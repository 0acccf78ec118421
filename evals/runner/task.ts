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

/** What a task needs in addition to its files. */
export interface Setup {
  values?: Values
  /** Merged into `config.toml`. */
  config?: Record<string, unknown>
  /** Written to `mcp.json`. */
  mcpServers?: Record<string, unknown>
  /** Ends what `setup` has started. */
  close?(): Promise<void>
}

/** The request that a scripted step answers. */
export interface Asked {
  /** The whole request as text. */
  said: string
  values: Values
}

export type SolutionStep = ScriptStep | ((asked: Asked) => ScriptStep)

/** The scripted model's steps: they verify the task and its check without a real model. */
export interface Solution {
  /** The steps of all prompts, in order. */
  steps: readonly SolutionStep[]
  /** Steps of subagents, by a text that each one's prompt contains. */
  agents?: Readonly<Record<string, readonly SolutionStep[]>>
  /** Its answer to a request to summarize the conversation. */
  summary?: string
}

/** The result of a run, as a check sees it. */
export interface FinishedRun extends Place {
  /** The answer to the last prompt. */
  answer: string
  /** The log of the session, prompt after prompt. */
  events: readonly RecordedEvent[]
  values: Values
  /** A file of the project; undefined when it is not there. */
  read(path: string): string | undefined
  /**
   * Runs a file of the task's `hidden` folder against the project; returns the failure, or undefined when it passes.
   */
  hiddenTest(file: string): Promise<string | undefined>
}

/**
 * A task: `evals/tasks/<group>/<name>/task.ts`, beside it `files/` (the project) and `hidden/` (tests that the agent
 * never sees).
 */
export interface EvalTask {
  /** What it takes to pass, in one sentence. */
  about: string
  /** Several are sent one after the other, in the same session. */
  prompts: readonly string[]
  /**
   * Makes files that are not in `files/`, the state of the repository, and servers. It runs after `files/` was copied.
   */
  setup?(place: Place): Setup | void | Promise<Setup>
  /** Tokens; smaller than the model's own, so that trimming and compaction are needed. */
  contextWindow?: number
  /** For all prompts together; default 600. */
  timeLimitS?: number
  /** Problems with the result, as sentences; empty when it passes. */
  check(run: FinishedRun): string[] | Promise<string[]>
  good: Solution
  /** A plausible wrong solution, which the check must reject. */
  bad: Solution
}

/** A task with its source folder. */
export interface LoadedTask extends EvalTask {
  group: Group
  /** `group/name`. */
  id: string
  folder: string
}
