import type { ContextView, ToolsView } from '../../../shared/model/turn/context'
import type { RecordedEvent } from '../../../shared/events/event'
import type { ApprovalProposal, EditedProposal, RuleChoice } from '../../../shared/model/approval/approval'
import type { UserPart } from '../../../shared/model/turn/message'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { createGate } from '../approval/gate'
import type { ApprovalAnswer } from '../approval/waiting-requests'
import type { CompactionEnd } from '../context/compaction/compact'
import type { OpenTurn } from '../loop/turn-context'
import type { TurnEnd } from '../loop/turn'
import type { Store } from '../store/store'

/**
 * What a session needs from the engine to run a turn. `Session` is a type parameter because session.ts imports this
 * file.
 */
export interface TurnRunner<Session> {
  /**
   * Checks that a turn can start (model, folder) and returns its model; throws a `CodedError` otherwise. Called before
   * anything is recorded.
   */
  ready(session: Session): Promise<{ modelId: string }>
  /** `open` is the turn of an earlier process that is being resumed. */
  run(session: Session, turnId: string, signal: AbortSignal, open?: OpenTurn): Promise<TurnEnd>
  /** Compacts the conversation between turns; throws a `CodedError` when that cannot start. */
  compact(session: Session, instruction: string | undefined, signal: AbortSignal): Promise<CompactionEnd>
  /** What the next request would contain. */
  context(session: Session): Promise<ContextView>
  /** All tools of the session, offered to the model or not. */
  tools(session: Session): Promise<ToolsView>
}

/** Forwards answers and questions about a turn's requests to where the turn runs. */
export interface TurnRelay {
  reply(answer: ApprovalAnswer): Promise<void>
  choices(approvalId: string): Promise<RuleChoice[]>
  proposal(approvalId: string, edited?: EditedProposal): Promise<ApprovalProposal | undefined>
}

/** What a session needs from the parts of the engine that themselves use sessions. */
export interface SessionTurns<Session> {
  runner: TurnRunner<Session>
  gateFor(session: Session): Parameters<typeof createGate>[0]
  /** The prompt, followed by the instructions of the skill that it starts with, if any. */
  withSkill(header: SessionHeader, parts: UserPart[]): Promise<UserPart[]>
  /** Throws `hook.blocked` when the message may not be sent to the agent. Called before anything is recorded. */
  submit?(session: Session, parts: readonly UserPart[]): Promise<void>
  /**
   * The parts, followed by the MCP prompts and resources that they name; throws a `CodedError` when one cannot be read.
   * Called before anything is recorded.
   */
  attach?(session: Session, parts: UserPart[]): Promise<UserPart[]>
}

/** What a session needs from the engine. */
export interface SessionDeps<Session> extends SessionTurns<Session> {
  store: Store
  newId(prefix: string): string
  now(): number
  /** Whether a user can be asked while this process runs. */
  interactive: boolean
  /** Whether the next queued prompt starts automatically when a turn has ended. */
  runsQueue: boolean
  /** Whether the open turn of a session continues here after the process that ran it has died; default: no. */
  keepsTurn?(sessionId: string): boolean
  /** Called after events have been recorded, with the header before them. */
  onRecorded(session: Session, before?: SessionHeader, events?: readonly RecordedEvent[]): void
  log(message: string): void
}
