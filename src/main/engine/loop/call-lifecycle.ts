import type { Approval, Judgement, PersonAnswer } from '../../../shared/model/approval/approval'
import type { Preview } from '../../../shared/model/approval/preview'
import type { CommandSandbox } from '../../../shared/model/task/sandbox'
import type { PreparedCall, Refusal, Tool, ToolResult, Access } from '../tool/tool'
import type { EventBody } from '../../../shared/events/event'
import type { FileChange } from '../../../shared/model/session/checkpoint'

/** A call that is waiting for approval. */
export interface GateCall {
  callId: string
  turnId: string
  tool: Tool
  call: PreparedCall
  preview: () => Promise<Preview | undefined>
  /** Prepares the call again, with the current state of files. */
  prepareAgain: () => Promise<PreparedCall | Refusal>
  /** The request for this call that is pending from an earlier process. */
  asked?: Approval
}

/**
 * `call` is the call to run, if it was prepared again; `answer` is the user's answer to its question; `message` goes to
 * the model. `judged` is the reason when the user was not asked; `sandbox` is the sandbox of a command. The caller
 * records `judged` before the call runs.
 */
export type GateAnswer =
  | { allowed: true; call?: PreparedCall; answer?: PersonAnswer; judged?: Judgement; sandbox?: CommandSandbox }
  | { allowed: false; message: string; judged?: Judgement }

/** Decides whether a call may run, and asks the user if no policy decides. Rejects only when the signal aborts. */
export type Gate = (call: GateCall, signal: AbortSignal) => Promise<GateAnswer>

/** The checkpoint of a call that is about to run: what it may change is backed up. */
export interface CallCheckpoint {
  /** Record it before the call runs. */
  made: EventBody & { type: 'checkpoint.made' }
  /** Call it once the call has ended, and record the result: what the call changed. Never rejects. */
  changed(): Promise<(EventBody & { type: 'checkpoint.changed' }) | undefined>
}

/** A call as passed to hooks. */
export interface HookedCall {
  callId: string
  tool: string
  /** The model's input, validated. */
  input: unknown
  summary: string
}

/** The user's hooks for one turn; absent when no hook is configured. No method rejects. */
export interface TurnHooks {
  /** Runs before the user is asked. Returns a denial, or undefined. */
  beforeCall(call: HookedCall): Promise<(GateAnswer & { allowed: false }) | undefined>
  /** Runs after the call. */
  afterCall(call: HookedCall, result: ToolResult, durationMs: number): Promise<void>
  /** Runs when the agent is about to end the turn. Returns a message that makes it continue, or undefined. */
  beforeEnd(answer: string): Promise<string | undefined>
}

/** A call that has run, with what language servers need to know. */
export interface DiagnosedCall {
  accesses: readonly Access[]
  /** What it changed; undefined when unknown. */
  changes?: readonly FileChange[]
  failed: boolean
}

/**
 * Diagnostics of language servers for the files that a turn changes; absent without language servers. No method
 * rejects.
 */
export interface TurnDiagnostics {
  /** Call it after each call. Returns immediately: servers check the files in the background. */
  ran(call: DiagnosedCall): void
  /**
   * After a step: errors in the changed files, as a message for the model; undefined when no errors were found. Waits
   * at most 2 s, and not at all without a server.
   */
  report(signal: AbortSignal): Promise<string | undefined>
}
