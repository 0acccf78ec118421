import type { CommandSandbox } from '../../model/task/sandbox'

/** Where a skill was found; a nearer skill overrides one with the same name farther away. */
export type SkillSource = 'project' | 'user' | 'plugin' | 'built-in'

/** A skill in a list: the folder with a SKILL.md, without its body. */
export interface SkillView {
  name: string
  description: string
  source: SkillSource
  /** Absolute path of its SKILL.md. */
  path: string
  /** `inline`: the agent can load it; the others load only when the user names them. */
  type: 'inline' | 'prompt' | 'flow'
  /** Whether the agent can load it without the user. */
  modelInvocation: boolean
  whenToUse?: string
  /** Names of its arguments, in order. */
  arguments: string[]
  /** Path of the nearer skill of the same name that is used instead. */
  hiddenBy?: string
  /** The user has disabled it; only listed where it can be enabled again. */
  isOff?: true
}

/** A problem in a SKILL.md, which makes all or part of it unusable. Lines count from 1. */
export interface SkillProblem {
  path: string
  line?: number
  message: string
  /** Whether the skill is excluded because of it. */
  isFatal: boolean
}

/** All skills of a folder, and the problems in some. */
export interface SkillList {
  skills: SkillView[]
  problems: SkillProblem[]
}

/** The events that hooks can run on. */
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

/** An active hook: a command of the user that runs on an event. */
export interface HookView {
  event: HookEvent
  /** A regular expression; without one it runs every time. */
  matcher?: string
  command: string
  timeoutMs: number
  /** It runs in the Project sandbox, with open network: always for a project's hook, otherwise if configured. */
  sandbox?: 'project'
  scope: 'user' | 'project'
  /** The plugin it belongs to. */
  plugin?: string
  /** The file that defines it. */
  file: string
  line?: number
  /** Its position among the hooks of its file, from 0. */
  index: number
  /** It is disabled, and never runs. */
  isOff?: true
}

/**
 * How a run ended. `passed`: it did not object. `changed`: it returned other content to write. `failed`: it ended with
 * an error or an invalid answer, and had no effect. `stopped`: the turn was stopped first, or Trestle closed.
 */
export type HookOutcome = 'running' | 'passed' | 'blocked' | 'changed' | 'failed' | 'timed_out' | 'stopped'

/** One run of a hook. */
export interface HookRun {
  runId: string
  /** The user tried it with sample input. */
  isTest?: true
  event: HookEvent
  command: string
  scope: HookView['scope']
  plugin?: string
  /** The sandbox it ran in; absent until it has started. */
  sandbox?: CommandSandbox
  /** What the matcher was tested against: a tool, a path, a status. */
  subject: string
  sessionId: string
  folder: string
  /** ms since the epoch. */
  startedAt: number
  durationMs?: number
  outcome: HookOutcome
  exitCode?: number
  /** Why it blocked, or the error; a sentence. */
  reason?: string
  /** The start of its output, both streams in order. */
  output: string
  /** Bytes of output beyond that. */
  cutBytes: number
}

/** The active hooks in a folder, and the newest runs of this Trestle, newest first. */
export interface HookList {
  hooks: HookView[]
  runs: HookRun[]
}

/** A file of a project's own configuration that would apply once the folder is trusted. */
export interface TrustPart {
  kind: 'rules' | 'mcp' | 'hooks' | 'agents'
  /** Absolute path. */
  file: string
  /** What it would do, one effect per line: `allow Bash(npm *)`. */
  lines: string[]
  /** Unified diff from the last accepted version; absent for the first one. */
  diff?: string
}

/** Whether a folder's own configuration applies. */
export interface TrustView {
  /** Real path. */
  folder: string
  /** `nothing`: the project has no such configuration. `changed`: it was accepted, and has changed since. */
  state: 'nothing' | 'asked' | 'changed' | 'trusted' | 'refused'
  parts: TrustPart[]
  /** Hash of all parts: `accept` and `refuse` apply to exactly this content. */
  hash: string
  /** Why the earlier decision cannot be read, so that nothing is trusted. */
  problem?: string
}

/** A folder whose configuration was accepted. */
export interface TrustedFolder {
  /** Real path. */
  folder: string
  /** ms since the epoch. */
  acceptedAt: number
}
