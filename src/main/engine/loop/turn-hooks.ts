import type { ToolResult } from '../tool/tool'
import type { GateAnswer } from './gate'

/** A call as hooks see it. */
export interface HookedCall {
  callId: string
  tool: string
  /** As the model wrote it, checked. */
  input: unknown
  summary: string
}

/** The user's hooks on one turn; a turn without any has none of this. Nothing here ever rejects. */
export interface TurnHooks {
  /** Before anybody is asked: a denial, or undefined. */
  beforeCall(call: HookedCall): Promise<(GateAnswer & { allowed: false }) | undefined>
  /** The call has run. */
  afterCall(call: HookedCall, result: ToolResult, durationMs: number): Promise<void>
  /** The agent is about to end the turn: what to tell it so that it goes on, or undefined. */
  beforeEnd(answer: string): Promise<string | undefined>
}
