import type { Approval, Judgement, PersonAnswer } from '../../../shared/model/approval'
import type { Preview } from '../../../shared/model/preview'
import type { CommandSandbox } from '../../../shared/model/sandbox'
import type { PreparedCall, Refusal, Tool } from '../tool/tool'

/** A call that wants to run. */
export interface GateCall {
  callId: string
  turnId: string
  tool: Tool
  call: PreparedCall
  preview: () => Promise<Preview | undefined>
  /** Prepares the call anew, as things are by then. */
  prepareAgain: () => Promise<PreparedCall | Refusal>
  /** The request for this call that waits since before this process began. */
  asked?: Approval
}

/**
 * `call` is the call to run, when it was prepared anew; `answer` is what it asked for; `message` goes to the model. `judged` says why, where nobody was asked;
 * `sandbox` is what a command runs in. Whoever
 * gets the answer records it before the call runs.
 */
export type GateAnswer =
  | { allowed: true; call?: PreparedCall; answer?: PersonAnswer; judged?: Judgement; sandbox?: CommandSandbox }
  | { allowed: false; message: string; judged?: Judgement }

/** Decides, and asks the user where no policy does. Rejects only when the signal aborts. */
export type Gate = (call: GateCall, signal: AbortSignal) => Promise<GateAnswer>
