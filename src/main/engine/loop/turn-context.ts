import type { Approval } from '../../../shared/model/approval'
import type { Failure } from '../../../shared/errors'
import type { Effort } from '../../../shared/model/effort'
import type { EventBody, LiveEvent } from '../../../shared/events/event'
import type { Message, UserPart, Usage, ToolCallPart } from '../../../shared/model/message'
import type { ToolDetails } from '../../../shared/model/preview'
import type { TaskNotification } from '../../../shared/model/task'
import type { LoopSettings } from '../config/settings/settings'
import type { ModelTraits, Provider, ToolSchema } from '../model/provider'
import type { Access, CallAnswer, CallQuestion, PreparedCall, Tool, ToolResult } from '../tool/tool'
import type { Gate, TurnDiagnostics, TurnHooks, CallCheckpoint } from './call-lifecycle'
import type { AnnouncedFact } from '../../../shared/model/context'
import type { GuardedStep } from './guards'

/** A live event without the session it belongs to. */
export type TurnLiveEvent = LiveEvent extends infer Event
  ? Event extends LiveEvent
    ? Omit<Event, 'sessionId'>
    : never
  : never

/** What a call was about: a file, or a folder with all in it. */
export interface Touched {
  path: string
  isFolder: boolean
}

/** A call whose message goes to an earlier checkpoint. */
export type DMailCall = Extract<ToolDetails, { kind: 'd-mail' }>

/** The model that is asked: what of it goes into requests. */
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

/** Everything a turn needs. The loop keeps no state of its own between turns. */
export interface TurnContext {
  turnId: string
  provider: Provider
  model: TurnModel
  /** Another model goes on with this turn: changes `provider` and `model`, and records it. False when it cannot. Absent when there is none, or it took over already. */
  fallBack?: ((failure: Failure) => Promise<boolean>) | undefined
  /** What every request begins with. */
  prefix: TurnPrefix
  tools: ToolLookup
  /** The conversation so far, the prompt of this turn included; the turn appends to it. */
  history: Message[]
  /** Keeps the history within the model's window. */
  budget: ContextBudget
  /** Stores events; when it returns they are safe. */
  record(...events: EventBody[]): void
  /** Tells who is watching. Cheap. */
  live(event: TurnLiveEvent): void
  gate: Gate
  /** Asks a person in the midst of a call; see `CallContext.ask`. */
  ask(
    call: { turnId: string; callId: string; tool: string },
    question: CallQuestion,
    turn: AbortSignal,
    signal?: AbortSignal,
  ): Promise<CallAnswer>
  /** Absent when there are none. */
  hooks?: TurnHooks
  /** Absent when no language server looks at what is changed. */
  diagnostics?: TurnDiagnostics
  /** Keeps what a call may change; undefined when it changes nothing. Rejects when it cannot be kept: then the call must not run. */
  checkpointCall(call: {
    callId: string
    tool: Tool
    call: PreparedCall
  }): Promise<CallCheckpoint | undefined> | undefined
  /** Runs an allowed call when no call of another agent of the family is in its way; rejects when the signal aborts first. Absent: at once. */
  scheduleAcrossAgents?<Result>(
    accesses: readonly Access[],
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result>
  /** Closes a request whose call is not to be made any more, with the reason as a sentence; harmless when it was answered. */
  withdraw(asked: Approval, reason: string): void
  /** Messages that joined the turn since the last step; each is handed out once. */
  takeSteering(): { parts: UserPart[]; promptId?: string; news?: TaskNotification[] }[]
  /** What is to be said of plan mode before the next step, when the user has switched it. */
  planNotice(): { plan: 'on' | 'off'; text: string } | undefined
  /** What the folders that a step touched say to agents, where that was not told yet. */
  instructionsFor?(touched: readonly Touched[]): Promise<string | undefined>
  /** The number of the checkpoint before the next step. */
  nextCheckpoint(): number
  /** Whether the model is told these numbers. */
  marksCheckpoints: boolean
  /** Takes the conversation back to where a D-Mail is to arrive: what the history is then, or why it cannot be. */
  goBack(mail: DMailCall): Promise<{ history: Message[] } | { problem: string }>
  /** Keeps a result that is too long for the model; returns the path of the file. */
  saveResult(callId: string, text: string): Promise<string>
  maxResultChars(tool: string): number | undefined
  /** Called once a request is on its way that lets the model call Bash: the time to get a terminal and a sandbox ready. */
  warmUp(): void
  settings: LoopSettings
  cacheKey: string
  /** How long the provider is asked to keep what it has read. */
  cache: 'short' | 'long'
  signal: AbortSignal
  /** Injected so that tests are exact: ms clock, random 0..1, abortable pause, ids. */
  now(): number
  random(): number
  pause(ms: number, signal: AbortSignal): Promise<void>
  newId(prefix: string): string
  /** A call id that is unique in the session, from the wire's own. */
  callId(wireId: string): string
}

/** Keeps the history of a turn within the window of its model. The history changes in place; what is dropped stays in the log. */
export interface ContextBudget {
  /**
   * Called before every step, and free of cost while there is room. Else the oldest results lose their content, which is recorded, and where that is not
   * enough the conversation is compacted. Throws a `CodedError` when no room can be made; returns quietly when the turn was stopped meanwhile.
   */
  enforce(): Promise<void>
  /** The longest answer to ask for: the model's longest, or less where that would not fit beside the history; undefined: not known. */
  outputLimit(): number | undefined
  /** Tokens of an answer that fit beside the history. */
  remainingTokens(): number
  /** The latest step is in the history; `usage` is what the provider has counted for it. */
  recordUsage(usage: Usage | undefined): void
  /** The history has become another one. */
  historyReplaced(): void
  /** The provider has refused the request as too long: remembers that the window is smaller. False when that is not to be mended. */
  onOverflow(failure: Failure): boolean
}

/** What the requests of a turn begin with. It is recorded and stays the same until the conversation is compacted; what changes is told in messages. */
export interface TurnPrefix {
  readonly system: string
  /** The same array as long as the prefix is the same. */
  readonly tools: readonly ToolSchema[]
  /** Called before each request: freezes the prefix anew where a compaction, or going back, has ended the one before. Free of cost otherwise. */
  renew(): Promise<void>
  /** What the model must be told, because it is not as it was told; undefined when all is. Cheap while nothing has changed. Recording it makes it told. */
  pendingChanges(): { text: string; facts: AnnouncedFact[] } | undefined
}

/** The tools of a turn, as the loop sees them. */
export interface ToolLookup {
  get(name: string): Tool | undefined
  /** As they are now, asked before each step; the same array as long as nothing has changed. */
  schemas(): readonly ToolSchema[]
  /** What the model is told of tools that it can load; the same as long as they are the same. */
  loadable?(): string | undefined
  /** The validated input, or what to tell the model: malformed JSON, unknown or missing fields. */
  parseInput(tool: Tool, rawJson: string): { input: unknown } | { error: string }
  /** What to tell the model that called a tool which does not exist. */
  unknownTool(name: string): string
}

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

/** Why a turn's signal aborts: somebody, or something, ends the turn. The message says who or what, as a sentence. */
export class TurnStopped extends Error {
  constructor(why = 'The turn was stopped.') {
    super(why)
  }
}

/** Why a turn's signal aborts: this process ends, the turn does not. What waits for a person stays open and goes on in a later process. */
export class TurnSuspended extends Error {}

export function isSuspended(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof TurnSuspended
}

/** Why the turn was stopped, as a sentence. */
export function stopMessage(signal: AbortSignal): string {
  return signal.reason instanceof TurnStopped ? signal.reason.message : new TurnStopped().message
}
