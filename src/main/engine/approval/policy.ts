import type { PermissionMode } from '../../../shared/model/approval'
import type { PreparedCall, Tool } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'
import type { PermissionRule } from './rules/permission-rule'
import type { CommandPart } from './shell/command-part'

/** A call to be judged. */
export interface JudgedCall {
  tool: Pick<Tool, 'name' | 'annotations' | 'server'>
  call: PreparedCall
  mode: PermissionMode
  workspace: Workspace
  /** Set in plan mode: the one file that may change. */
  plan?: { file: string }
  /** TRESTLE_HOME, and the folders in it with what this session's own calls have left for the model to read. */
  home: string
  ownOutput: readonly string[]
  /** The rules of the user, of a trusted project, and of the session. */
  rules: readonly PermissionRule[]
  /** What a command does, taken apart; each part is judged by itself. */
  parts?: readonly CommandPart[]
  /** The part that is judged now. */
  part?: CommandPart
  /** The type of the agent, when it may only read. */
  readOnlyAgent?: string
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
}

/** `reason` is shown to the user ("Why am I asked?") and, on a denial, to the model. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string
  /** The rule that decided. */
  rule?: PermissionRule
  /** It asks every time, so there is nothing to allow for the session. */
  everyTime?: true
}

/** One rule of judgement. `undefined`: no opinion, the next policy decides. Free of effects. */
export type Policy = (call: JudgedCall) => Verdict | undefined
