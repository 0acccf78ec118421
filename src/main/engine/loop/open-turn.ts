import type { Approval } from '../../../shared/model/approval'
import type { ToolCallPart } from '../../../shared/model/message'
import type { ToolResult } from '../tool/tool'
import type { GuardedStep } from './guards'

/** A step whose calls are not all done: some wait for a person, or for a call that does. */
export interface OpenStep {
  stepId: string
  calls: readonly ToolCallPart[]
  /** What the calls that are done have given, by call id. */
  results: ReadonlyMap<string, ToolResult>
  /** The requests that wait. */
  approvals: readonly Approval[]
}

/** A turn that outlived the process that ran it, because it waits for a person. */
export interface OpenTurn extends OpenStep {
  turnId: string
  /** ms since the epoch. */
  startedAt: number
  /** How many there were, the open one included. */
  steps: number
  /** The newest steps before the open one, oldest first: what the guards go by. */
  past: readonly GuardedStep[]
}
