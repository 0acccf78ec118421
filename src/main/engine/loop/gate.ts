import type { Preview } from '../../../shared/model/preview'
import type { PreparedCall, Tool } from '../tool/tool'

/** A call that wants to run. */
export interface GateCall {
  callId: string
  turnId: string
  tool: Tool
  call: PreparedCall
  preview: () => Promise<Preview | undefined>
}

/** `message` goes to the model. */
export type GateAnswer = { allowed: true } | { allowed: false; message: string }

/** Decides, and asks the user where no policy does. Rejects only when the signal aborts. */
export type Gate = (call: GateCall, signal: AbortSignal) => Promise<GateAnswer>
