import type { Approval } from '../../../shared/model/approval'
import type { Failure } from '../../../shared/model/errors'
import type { Effort } from '../../../shared/model/effort'
import type { EventBody, LiveEvent } from '../../../shared/model/event'
import type { Message, UserPart } from '../../../shared/model/message'
import type { ToolDetails } from '../../../shared/model/preview'
import type { TaskNews } from '../../../shared/model/task'
import type { LoopSettings } from '../config/settings'
import type { ModelTraits, Provider } from '../model/provider'
import type { Access, CallAnswer, CallQuestion, PreparedCall, Tool } from '../tool/tool'
import type { Gate } from './gate'
import type { Room } from './room'
import type { TurnDiagnostics } from './turn-diagnostics'
import type { TurnPrefix } from './turn-prefix'
import type { TurnHooks } from './turn-hooks'
import type { KeptCall } from './kept-call'
import type { ToolLookup } from './tool-lookup'

/** A live event without the session it belongs to. */
export type TurnLiveEvent = LiveEvent extends infer Event ? (Event extends LiveEvent ? Omit<Event, 'sessionId'> : never) : never

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
  room: Room
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
  keepBefore(call: { callId: string; tool: Tool; call: PreparedCall }): Promise<KeptCall | undefined> | undefined
  /** Runs an allowed call when no call of another agent of the family is in its way; rejects when the signal aborts first. Absent: at once. */
  amongAgents?<Result>(accesses: readonly Access[], signal: AbortSignal, work: () => Promise<Result>): Promise<Result>
  /** Closes a request whose call is not to be made any more, with the reason as a sentence; harmless when it was answered. */
  withdraw(asked: Approval, reason: string): void
  /** Messages that joined the turn since the last step; each is handed out once. */
  takeSteering(): { parts: UserPart[]; promptId?: string; news?: TaskNews[] }[]
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
  warm(): void
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
