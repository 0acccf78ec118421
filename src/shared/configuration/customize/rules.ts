import type { SessionMode } from '../../model/approval/approval'
import type { CommandSandbox } from '../../model/task/sandbox'
import type { TrustView } from './customizations'

/** Whether a matching call runs, asks or is denied. */
export const RULE_DECISIONS = ['allow', 'ask', 'deny'] as const
export type RuleDecision = (typeof RULE_DECISIONS)[number]

/** Where a configuration is stored: for the user everywhere, or in one project. */
export const EDIT_SCOPES = ['user', 'project'] as const
export type EditScope = (typeof EDIT_SCOPES)[number]

/** A permission rule in a list. */
export interface RuleView {
  decision: RuleDecision
  /** `Tool`, `Tool(pattern)` or `mcp__server__*`. */
  pattern: string
  /** Set for an allow rule that lets its commands run without a sandbox. */
  sandbox?: 'unrestricted'
  scope: EditScope
  /** The file that contains it. */
  file: string
  line?: number
  /** Its position among the rules of its file, from 0. */
  index: number
  /** Its effect, as a sentence. */
  explanation: string
  /** The error in it; until it is fixed, every call that it might match asks. */
  mistake?: string
  /** Set for a project's rule that is disabled until the user trusts the folder. */
  isOff?: true
}

/** The rules for a folder. */
export interface RuleList {
  rules: RuleView[]
  /** The files for rules of each scope. */
  files: { user: string; project?: string }
  /** Whether the project's own configuration applies. */
  trust: TrustView['state']
}

/** A rule by its position and its content as shown: a rule that has changed since is not modified. */
export interface RulePlace {
  scope: EditScope
  index: number
  decision: RuleDecision
  pattern: string
}

/** The rule that decided, or would match. */
export type MatchedRule = Pick<RuleView, 'decision' | 'pattern' | 'file' | 'line'> & { scope: EditScope | 'session' }

/** The result for one part of a command, or for a call. */
export interface TestedPart {
  /** As written. */
  text: string
  verdict: RuleDecision
  reason: string
  /** The check that decided, for people: `your deny rules`. */
  decidedBy: string
  rule?: MatchedRule
  /** Rules that match but did not decide, because something stricter took precedence. */
  otherRules: MatchedRule[]
}

/** What the gate would decide. Nothing runs to find out. */
export interface RuleTest {
  verdict: RuleDecision
  reason: string
  decidedBy: string
  mode: SessionMode
  /** The sandbox that a command would run in. */
  sandbox?: CommandSandbox
  rule?: MatchedRule
  /** The parts of a command, judged separately; one for anything else. */
  parts: TestedPart[]
  /** Why rules of the project were excluded. */
  note?: string
}

/** Tools whose calls can be tested with a path or an address. */
export const TESTED_TOOLS = ['Read', 'Write', 'Edit', 'ListDirectory', 'Glob', 'Grep', 'FetchURL'] as const
export type TestedTool = (typeof TESTED_TOOLS)[number]

/** A change that can be undone with this id while the program is running; see `customize.undo`. */
export interface Undoable {
  undoId: string
}
