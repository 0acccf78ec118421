import type { PermissionMode } from '../../../shared/model/approval'
import type { PreparedCall, Tool } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'

/** A call to be judged. */
export interface JudgedCall {
  tool: Pick<Tool, 'name' | 'annotations'>
  call: PreparedCall
  mode: PermissionMode
  workspace: Workspace
  /** TRESTLE_HOME, and the folders in it with what this session's own calls have left for the model to read. */
  home: string
  ownOutput: readonly string[]
  /** Whether the user allowed this key for the session. */
  isRemembered(key: string): boolean
}

/** `reason` is shown to the user ("Why am I asked?") and, on a denial, to the model. */
export type Verdict = { decision: 'allow' | 'deny' | 'ask'; reason: string }

/** One rule of judgement. `undefined`: no opinion, the next policy decides. Free of effects. */
export type Policy = (call: JudgedCall) => Verdict | undefined
