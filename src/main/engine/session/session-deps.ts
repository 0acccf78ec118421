import type { ContextView, ToolsView } from '../../../shared/model/context'
import type { RecordedEvent } from '../../../shared/events/event'
import type { UserPart } from '../../../shared/model/message'
import type { SessionHeader } from '../../../shared/model/session'
import type { createGate } from '../approval/gate'
import type { CompactionEnd } from '../context/compaction/compact'
import type { OpenTurn } from '../loop/turn-context'
import type { TurnEnd } from '../loop/turn'
import type { Store } from '../store/store'

/** What a session needs from the engine to run a turn. `Session` is the class of that name, which stands on this file. */
export interface TurnRunner<Session> {
  /** Checks that a turn can start (model, folder) and says with which model; throws a `CodedError` otherwise. Nothing is recorded before it. */
  ready(session: Session): Promise<{ modelId: string }>
  /** `open` is the turn as an earlier process left it, when it goes on. */
  run(session: Session, turnId: string, signal: AbortSignal, open?: OpenTurn): Promise<TurnEnd>
  /** Compacts the conversation between turns; throws a `CodedError` when that cannot begin. */
  compact(session: Session, instruction: string | undefined, signal: AbortSignal): Promise<CompactionEnd>
  /** What the next request would be made of. */
  context(session: Session): Promise<ContextView>
  /** All its tools, offered or not. */
  tools(session: Session): Promise<ToolsView>
}

/** What a session needs from the engine. */
export interface SessionDeps<Session> {
  store: Store
  runner: TurnRunner<Session>
  gateFor(session: Session): Parameters<typeof createGate>[0]
  newId(prefix: string): string
  now(): number
  /** The prompt with the instructions of the skill it begins with, if it does. */
  withSkill(header: SessionHeader, parts: UserPart[]): Promise<UserPart[]>
  /** Whether a person can be asked, as long as this process runs. */
  interactive: boolean
  /** Whether the next queued prompt starts by itself when a turn has ended. */
  runsQueue: boolean
  /** Whether this may be said to the agent; throws `hook.blocked` otherwise. Nothing is recorded before it. */
  submit?(session: Session, parts: readonly UserPart[]): Promise<void>
  /** The parts with what they name of MCP servers behind them; throws a `CodedError` when that cannot be had. Nothing is recorded before it. */
  attach?(session: Session, parts: UserPart[]): Promise<UserPart[]>
  /** Called after events have been recorded, with the header before them. */
  onRecorded(session: Session, before?: SessionHeader, events?: readonly RecordedEvent[]): void
  log(message: string): void
}
