import type { Approval } from '../../../shared/model/approval/approval'
import type { Failure } from '../../../shared/errors'
import type { Effort } from '../../../shared/model/turn/effort'
import type { EventBody, LiveEvent } from '../../../shared/events/event'
import type { Message, UserPart, Usage, ToolCallPart } from '../../../shared/model/turn/message'
import type { ToolDetails } from '../../../shared/model/approval/preview'
import type { TaskNotification } from '../../../shared/model/task/task'
import type { LoopSettings } from '../config/agent-settings/session-settings'
import type { ModelTraits, Provider, ToolSchema } from '../model/provider'
import type { Access, CallAnswer, CallQuestion, PreparedCall, Tool, ToolResult } from '../tool/tool'
import type { Gate, TurnDiagnostics, TurnHooks, CallCheckpoint } from './call-lifecycle'
import type { AnnouncedFact } from '../../../shared/model/turn/context'
import type { GuardedStep } from './guards'

/** A live event without the session it belongs to. */
export type TurnLiveEvent = LiveEvent extends infer Event
  ? Event extends LiveEvent
    ? Omit<Event, 'sessionId'>
    : never
  : never

/** What a call accessed: a file, or a folder with everything in it. */
export interface Touched {
  path: string
  isFolder: boolean
}

/** A call that sends a message to an earlier checkpoint. */
export type DMailCall = Extract<ToolDetails, { kind: 'd-mail' }>

/** The model of the turn, as requests need it. */
export interface TurnModel {
  id: string
  name: string
  imagesIn: boolean
  thinking: boolean
  toolCalls: boolean
  maxOutputTokens?: number
  /** Absent: the vendor's default. */
  effort?: Effort
  traits?: ModelTraits
}

/** Everything a turn needs, in parts. The loop keeps no state of its own between turns. */
export interface TurnContext {
  turnId: string
  signal: AbortSignal
  /** Whether to leave the turn to another process before its next step. */
  leaves?(): boolean
  settings: LoopSettings & {
    /** Number of equal consecutive steps that ends the turn. Default: 12. */
    maxRepeats?: number
  }
  /** Stores events synchronously: they are durable when it returns. */
  record(...events: EventBody[]): void
  /** Notifies listeners. Cheap. */
  live(event: TurnLiveEvent): void
  model: ModelAccess
  conversation: TurnConversation
  tools: ToolLookup
  calls: TurnCalls
  checkpoints: TurnCheckpoints
  clock: TurnClock
}

/** How a turn asks its model. */
export interface ModelAccess {
  provider: Provider
  info: TurnModel
  /**
   * Continues the turn with another model: changes `provider` and `info`, and records it. Resolves with false when it
   * cannot. Absent without a fallback model, or after it took over.
   */
  fallBack?: ((failure: Failure) => Promise<boolean>) | undefined
  /**
   * Called before each request: whether it may be made. `stopped`: the user decided against it. Absent: it may.
   */
  mayAsk?: (() => Promise<'allowed' | 'stopped' | { failure: Failure }>) | undefined
  cacheKey: string
  /** How long the provider is asked to cache the prompt. */
  cache: 'short' | 'long'
}

/** The conversation as the model sees it, and what joins it before a step. */
export interface TurnConversation {
  /** The start of every request. */
  prefix: TurnPrefix
  /** The conversation so far, the prompt of this turn included; the turn appends to it. */
  history: Message[]
  /** Keeps the history within the model's window. */
  budget: ContextBudget
  /** Messages that joined the turn since the last step; each is returned once. */
  takeSteering(): { parts: UserPart[]; promptId?: string; news?: TaskNotification[] }[]
  /** The message about plan mode before the next step, if the user has switched it. */
  planNotice(): { plan: 'on' | 'off'; text: string } | undefined
  /**
   * Memory entries related to the user's message; undefined if the model has seen them all. Absent if memory is off.
   */
  recall?(): Promise<{ text: string; entries: number[] } | undefined>
  /** Instruction files of the folders that a step touched, if the model has not seen them yet. */
  instructionsFor?(touched: readonly Touched[]): Promise<string | undefined>
}

/** How the calls of a turn are allowed, run and reported. */
export interface TurnCalls {
  gate: Gate
  /** Asks the user during a call; see `CallContext.ask`. */
  ask(
    call: { turnId: string; callId: string; tool: string },
    question: CallQuestion,
    turn: AbortSignal,
    signal?: AbortSignal,
  ): Promise<CallAnswer>
  /** Cancels a request whose call will not run, with the reason as a sentence; does nothing if it was answered. */
  withdraw(asked: Approval, reason: string): void
  /** Absent when no hook is configured. */
  hooks?: TurnHooks
  /** Absent when no language server checks changed files. */
  diagnostics?: TurnDiagnostics
  /**
   * Runs an allowed call when no call of another agent of the family conflicts with it; rejects when the signal aborts
   * first. Absent: runs immediately.
   */
  scheduleAcrossAgents?<Result>(
    accesses: readonly Access[],
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result>
  /** Saves a result that is too long for the model; resolves with the path of the file. */
  saveResult(callId: string, text: string): Promise<string>
  maxResultChars(tool: string): number | undefined
  /**
   * Called once a request in which the model can call Bash has been sent, to prepare a terminal and a sandbox.
   * `answering` is aborted when the answer starts.
   */
  warmUp(answering: AbortSignal): void
  /** A call id that is unique in the session, from the wire's own. */
  callId(wireId: string): string
}

export interface TurnCheckpoints {
  /** The number of the checkpoint before the next step. */
  next(): number
  /** Whether the model sees these numbers. */
  areMarked: boolean
  /**
   * Backs up what a call may change; undefined when it changes nothing. Rejects when the backup fails: then the call
   * must not run.
   */
  backUp(call: { callId: string; tool: Tool; call: PreparedCall }): Promise<CallCheckpoint | undefined> | undefined
  /**
   * Restores the conversation to the checkpoint that a D-Mail is sent to. Resolves with the new history, or with the
   * reason why it cannot.
   */
  goBack(mail: DMailCall): Promise<{ history: Message[] } | { problem: string }>
}

/** Time, chance and ids, injected for deterministic tests. */
export interface TurnClock {
  /** ms. */
  now(): number
  /** 0 to 1. */
  random(): number
  /** Rejects when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>
  newId(prefix: string): string
}

/**
 * Keeps the history of a turn within the model's context window. The history is changed in place; what is dropped stays
 * in the log.
 */
export interface ContextBudget {
  /**
   * Called before every step; costs nothing while the history fits. Otherwise the oldest results lose their content
   * (recorded), and if that is not enough, the conversation is compacted. Throws a `CodedError` when no space can be
   * freed; returns normally when the turn was stopped meanwhile.
   */
  enforce(): Promise<void>
  /**
   * The output limit to request, in tokens: the model's maximum, or less if that does not fit with the history;
   * undefined: unknown.
   */
  outputLimit(): number | undefined
  /** Tokens left for the answer. */
  remainingTokens(): number
  /** Call it when the latest step is in the history; `usage` is the provider's count for it. */
  recordUsage(usage: Usage | undefined): void
  /** Call it when the history was replaced. */
  historyReplaced(): void
  /**
   * Call it when the provider refused a request as too long: remembers the smaller window. Returns false when that does
   * not help.
   */
  onOverflow(failure: Failure): boolean
}

/**
 * The prefix of a turn's requests. It is recorded and stays the same until the conversation is compacted; changes are
 * announced in messages.
 */
export interface TurnPrefix {
  readonly system: string
  /** The same array as long as the prefix is the same. */
  readonly tools: readonly ToolSchema[]
  /** Called before each request: freezes a new prefix after a compaction or restore. Costs nothing otherwise. */
  renew(): Promise<void>
  /**
   * Facts that have changed since the model was last informed; undefined when nothing changed. Cheap. Recording the
   * event marks them as announced.
   */
  pendingChanges(): { text: string; facts: AnnouncedFact[] } | undefined
}

/** The tools of a turn for the loop. */
export interface ToolLookup {
  get(name: string): Tool | undefined
  /** The current schemas, read before each step; the same array while nothing has changed. */
  schemas(): readonly ToolSchema[]
  /** Tools without a schema of their own, called with `call_tool`; the same array every time. */
  briefTools?(): readonly Tool[]
  /** The text that lists tools the model can load; the same string while the list does not change. */
  loadable?(): string | undefined
  /** The validated input, or an error message for the model: malformed JSON, unknown or missing fields. */
  parseInput(tool: Tool, rawJson: string): { input: unknown } | { error: string }
  /** The error message for a call of a tool that does not exist. */
  unknownTool(name: string): string
}

/** A step with unfinished calls: some wait for the user, or for a call that does. */
export interface OpenStep {
  stepId: string
  calls: readonly ToolCallPart[]
  /** Results of the finished calls, by call id. */
  results: ReadonlyMap<string, ToolResult>
  /** The pending requests. */
  approvals: readonly Approval[]
  /** The calls whose start is recorded. */
  known: ReadonlySet<string>
}

/**
 * A turn that outlived the process that ran it: it waits for the user, or continues. Without calls, its next step is
 * due.
 */
export interface OpenTurn extends OpenStep {
  turnId: string
  /** ms since the epoch. */
  startedAt: number
  /** Number of steps, including the open one. */
  steps: number
  /** The latest steps before the open one, oldest first, for the guards. */
  past: readonly GuardedStep[]
  /** Whether the history ends with an interrupted answer, which is requested again. */
  isCutOff?: boolean
}

/** Abort reason: the turn is stopped. The message says why, as a sentence. */
export class TurnStopped extends Error {
  constructor(why = 'The turn was stopped.') {
    super(why)
  }
}

/**
 * Abort reason: this process ends, but the turn does not. Pending requests stay open, and a later process resumes the
 * turn.
 */
export class TurnSuspended extends Error {}

export function isSuspended(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof TurnSuspended
}

/** Why the turn was stopped, as a sentence. */
export function stopMessage(signal: AbortSignal): string {
  return signal.reason instanceof TurnStopped ? signal.reason.message : new TurnStopped().message
}
