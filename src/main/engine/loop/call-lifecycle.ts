import type { Approval, Judgement, PersonAnswer } from '../../../shared/model/approval'
import type { Preview } from '../../../shared/model/preview'
import type { CommandSandbox } from '../../../shared/model/sandbox'
import type { PreparedCall, Refusal, Tool, ToolResult, Access } from '../tool/tool'
import type { EventBody } from '../../../shared/events/event'
import type { FileChange } from '../../../shared/model/checkpoint'

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

/** A call that is about to run, with what it may change kept. */
export interface CallCheckpoint {
  /** To be recorded before the call runs. */
  made: EventBody & { type: 'checkpoint.made' }
  /** To be called once the call has ended: what it did change, to be recorded. Never rejects. */
  changed(): Promise<(EventBody & { type: 'checkpoint.changed' }) | undefined>
}

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

/** A call that has run, as far as language servers are concerned. */
export interface DiagnosedCall {
  accesses: readonly Access[]
  /** What it has changed; undefined where that was not looked at. */
  changes?: readonly FileChange[]
  failed: boolean
}

/** What language servers say about the files that a turn changes; a turn without any has none of this. Nothing here ever rejects. */
export interface TurnDiagnostics {
  /** A call has run. Quick: servers look at its files in the background. */
  ran(call: DiagnosedCall): void
  /** After a step: errors in the files changed, as a message for the model; undefined when there are none. Waits 2 s at most, and not at all when no server looks. */
  report(signal: AbortSignal): Promise<string | undefined>
}
