import type { SessionMode } from '../../model/approval/approval'
import type { CommandSandbox } from '../../model/task/sandbox'
import type { TrustView } from './customizations'

/** Whether a matching call runs, asks or is refused. */
export const RULE_DECISIONS = ['allow', 'ask', 'deny'] as const
export type RuleDecision = (typeof RULE_DECISIONS)[number]

/** Where a configuration is kept: for the user everywhere, or with one project. */
export const EDIT_SCOPES = ['user', 'project'] as const
export type EditScope = (typeof EDIT_SCOPES)[number]

/** A permission rule as it is listed. */
export interface RuleView {
  decision: RuleDecision
  /** `Tool`, `Tool(pattern)` or `mcp__server__*`. */
  pattern: string
  /** An allow rule for commands can let them run without a sandbox. */
  sandbox?: 'unrestricted'
  scope: EditScope
  /** Where it is written. */
  file: string
  line?: number
  /** Its position among the rules of its file, from 0. */
  index: number
  /** What it does, as a sentence. */
  explanation: string
  /** What is wrong with it; every call that it might match asks until it is fixed. */
  mistake?: string
  /** Set for a rule of a project that does nothing until the user trusts the folder. */
  isOff?: true
}

/** The rules for a folder. */
export interface RuleList {
  rules: RuleView[]
  /** Where rules of each scope are written. */
  files: { user: string; project?: string }
  /** Whether the project's own configuration counts. */
  trust: TrustView['state']
}

/** A rule by its place, and as it was shown: it is not touched when it has changed since. */
export interface RulePlace {
  scope: EditScope
  index: number
  decision: RuleDecision
  pattern: string
}

/** The rule that decided, or would match. */
export type MatchedRule = Pick<RuleView, 'decision' | 'pattern' | 'file' | 'line'> & { scope: EditScope | 'session' }

/** What would happen with one part of a command, or with a call. */
export interface TestedPart {
  /** As written. */
  text: string
  verdict: RuleDecision
  reason: string
  /** Which check decided, for people: `your deny rules`. */
  decidedBy: string
  rule?: MatchedRule
  /** Rules that match but did not decide, because something stricter came first. */
  otherRules: MatchedRule[]
}

/** What the gate would decide. Nothing is run to find out. */
export interface RuleTest {
  verdict: RuleDecision
  reason: string
  decidedBy: string
  mode: SessionMode
  /** What a command would run in. */
  sandbox?: CommandSandbox
  rule?: MatchedRule
  /** The parts of a command, judged separately; one for anything else. */
  parts: TestedPart[]
  /** Why rules of the project were left out. */
  note?: string
}

/** Tools whose calls can be tested with a path or an address. */
export const TESTED_TOOLS = ['Read', 'Write', 'Edit', 'ListDirectory', 'Glob', 'Grep', 'FetchURL'] as const
export type TestedTool = (typeof TESTED_TOOLS)[number]

/** A change that can be undone with this id while the program runs; see `customize.undo`. */
export interface Undoable {
  undoId: string
}
