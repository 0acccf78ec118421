import type { CommandSandbox } from './sandbox'

/** What a hook can be run on. */
export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'beforeWriteFile',
  'afterWriteFile',
  'Stop',
  'SubagentStop',
  'TaskFinished',
  'PreCompact',
  'Notification',
  'SessionEnd',
] as const

export type HookEvent = (typeof HOOK_EVENTS)[number]

/** A hook that counts: a command of the user's, run when something happens. */
export interface HookView {
  event: HookEvent
  /** A regular expression; without one it is run every time. */
  matcher?: string
  command: string
  timeoutMs: number
  /** It runs in the Project sandbox, with open network: a project's always, the user's own when it says so. */
  sandbox?: 'project'
  scope: 'user' | 'project'
  /** Where it is written. */
  file: string
  line?: number
}

/**
 * How a run ended. `passed`: it had no objection. `changed`: it gave other content to write. `failed`: neither; nothing came of it.
 * `stopped`: the turn was stopped first, or Trestle closed.
 */
export type HookOutcome = 'running' | 'passed' | 'blocked' | 'changed' | 'failed' | 'timed_out' | 'stopped'

/** One run of a hook. */
export interface HookRun {
  runId: string
  event: HookEvent
  command: string
  scope: HookView['scope']
  /** What it ran in; absent until it has started. */
  sandbox?: CommandSandbox
  /** What the matcher was held against: a tool, a path, a status. */
  subject: string
  sessionId: string
  folder: string
  /** ms since the epoch. */
  startedAt: number
  durationMs?: number
  outcome: HookOutcome
  exitCode?: number
  /** Why it blocked, or what went wrong; a sentence. */
  reason?: string
  /** The beginning of what it printed, both streams as they came. */
  output: string
  /** Bytes it printed beyond that. */
  cutBytes: number
}

/** The hooks that count in a folder, and the newest runs of this Trestle, newest first. */
export interface HookList {
  hooks: HookView[]
  runs: HookRun[]
}
