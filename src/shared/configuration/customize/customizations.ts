import type { CommandSandbox } from '../../model/task/sandbox'

/** Where a skill was found; a nearer one hides one of the same name further away. */
export type SkillSource = 'project' | 'user' | 'plugin' | 'built-in'

/** A skill as it is listed: the folder with a SKILL.md, without its body. */
export interface SkillView {
  name: string
  description: string
  source: SkillSource
  /** Absolute path of its SKILL.md. */
  path: string
  /** `inline`: the agent may load it itself; the others only when the user names them. */
  type: 'inline' | 'prompt' | 'flow'
  /** Whether the agent may load it without the user. */
  modelInvocation: boolean
  whenToUse?: string
  /** Names of its arguments, in order. */
  arguments: string[]
  /** Path of the nearer skill of the same name that is used instead. */
  hiddenBy?: string
  /** The user has turned it off; only listed where it can be turned on again. */
  isOff?: true
}

/** A SKILL.md that cannot be used, or only in part. Lines count from 1. */
export interface SkillProblem {
  path: string
  line?: number
  message: string
  /** Whether the skill is left out because of it. */
  isFatal: boolean
}

/** All skills of a folder, and what is wrong with some. */
export interface SkillList {
  skills: SkillView[]
  problems: SkillProblem[]
}

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
  /** The plugin it belongs to. */
  plugin?: string
  /** Where it is written. */
  file: string
  line?: number
  /** Its place among the hooks of its file, from 0. */
  index: number
  /** It is turned off, and never run. */
  isOff?: true
}

/**
 * How a run ended. `passed`: it had no objection. `changed`: it gave other content to write. `failed`: neither; nothing
 * came of it.
 * `stopped`: the turn was stopped first, or Trestle closed.
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

/** A file of a project's own configuration that would count once the folder is trusted. */
export interface TrustPart {
  kind: 'rules' | 'mcp' | 'hooks' | 'agents'
  /** Absolute path. */
  file: string
  /** What it would do, a line each: `allow Bash(npm *)`. */
  lines: string[]
  /** Unified diff against what was accepted before; absent when nothing was. */
  diff?: string
}

/** Whether a folder's own configuration counts. */
export interface TrustView {
  /** Real path. */
  folder: string
  /** `nothing`: the project has no such configuration. `changed`: it was accepted, and has changed since. */
  state: 'nothing' | 'asked' | 'changed' | 'trusted' | 'refused'
  parts: TrustPart[]
  /** Of all parts: what `accept` and `refuse` are bound to. */
  hash: string
  /** Why what was decided before cannot be read, so that nothing is trusted. */
  problem?: string
}

/** A folder whose configuration was accepted. */
export interface TrustedFolder {
  /** Real path. */
  folder: string
  /** ms since the epoch. */
  acceptedAt: number
}
