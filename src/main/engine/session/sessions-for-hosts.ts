import type { AgentChoice } from '../../../shared/model/session/agent'
import type { ApprovalProposal, EditedProposal, PermissionMode } from '../../../shared/model/approval/approval'
import type { Effort, EffortChoice } from '../../../shared/model/turn/effort'
import type { LiveEvent, SessionEvent, RecordedEvent } from '../../../shared/events/event'
import type { SessionHeader, SessionSummary, SearchHit } from '../../../shared/model/session/session'
import type { SessionSchedule } from '../../../shared/model/assistant/schedule'
import type { ContextView, ToolsView } from '../../../shared/model/turn/context'
import type { UserPart } from '../../../shared/model/turn/message'
import type { NewWorktree } from '../../../shared/model/project/worktree'
import type { ApprovalAnswer } from '../approval/waiting-requests'
import type { Session } from './session'

/** Options of a turn that does not ask the user: what needs approval is denied. */
interface UnattendedTurn {
  /** Overrides `[loop] max_steps` downwards. */
  maxSteps?: number
}

/** The running turns of this process whose user is not asked, as in print mode. It applies to their subagents too. */
export class UnattendedTurns {
  readonly #turns = new Map<string, UnattendedTurn>()

  of({ sessionId, agent }: Pick<SessionHeader, 'sessionId' | 'agent'>): UnattendedTurn | undefined {
    return this.#turns.get(agent?.rootId ?? sessionId)
  }

  begin(sessionId: string, turn: UnattendedTurn): void {
    this.#turns.set(sessionId, turn)
  }

  end(sessionId: string): void {
    this.#turns.delete(sessionId)
  }
}

/** All session operations for hosts. Failures are `CodedError`s. */
export interface Sessions {
  list(filter: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[]
  create(input: {
    /** Absent: a session without a project, in its own private folder. */
    folder?: string
    model?: string
    effort?: Effort
    mode?: PermissionMode
    addedFolders?: string[]
    /** Absent: the default agent. */
    agent?: AgentChoice
    /** Set for a run of a schedule. */
    schedule?: SessionSchedule
    /** Works in a new worktree of the folder's repository. */
    worktree?: NewWorktree
  }): Promise<SessionHeader>
  /** Header and latest events; recovers a turn that a dead process left open. */
  open(sessionId: string, limit: number): Promise<{ header: SessionHeader; events: RecordedEvent[]; hasMore: boolean }>
  window(sessionId: string, options: { before: number; limit: number }): { events: RecordedEvent[]; hasMore: boolean }
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  header(sessionId: string): SessionHeader
  change(
    sessionId: string,
    change: {
      title?: string
      model?: string
      effort?: EffortChoice
      mode?: PermissionMode
      /** From the next turn on; `null`: the default agent. */
      agent?: AgentChoice | null
      addedFolders?: string[]
      archived?: boolean
    },
  ): Promise<SessionHeader>
  remove(sessionId: string): Promise<void>
  /** Newest first; with `sessionId`, only messages of that session. */
  search(query: string, limit: number, sessionId?: string): SearchHit[]
  /**
   * `effort` applies only to the turn that the prompt starts. `unattended`: that turn never asks the user; throws
   * `session.busy` instead of queueing the prompt.
   */
  prompt(
    sessionId: string,
    parts: UserPart[],
    options?: { effort?: Effort; unattended?: UnattendedTurn },
  ): Promise<{ queued: boolean; promptId?: string }>
  steer(sessionId: string, input: { parts?: UserPart[]; promptId?: string }): Promise<void>
  editQueued(sessionId: string, promptId: string, parts: UserPart[]): Promise<void>
  removeQueued(sessionId: string, promptId: string): Promise<void>
  /** Moves a queued prompt; `to`: its new place, from 0. */
  moveQueued(sessionId: string, promptId: string, to: number): Promise<void>
  stop(sessionId: string): Promise<void>
  /**
   * Creates a session in the same folder with the conversation up to the event `to`; default: all of it. Files are not
   * changed.
   */
  fork(sessionId: string, to?: number): Promise<SessionHeader>
  reply(sessionId: string, answer: ApprovalAnswer): Promise<void>
  proposal(sessionId: string, approvalId: string, edited?: EditedProposal): Promise<ApprovalProposal | undefined>
  /** Compacts the conversation while no turn runs; returns false when it was stopped. */
  compact(sessionId: string, instruction?: string): Promise<boolean>
  /** Undoes the latest compaction. */
  undoCompaction(sessionId: string, compactionId: string): Promise<void>
  /** What the next request would contain. */
  context(sessionId: string): Promise<ContextView>
  /** Every tool of the session with its size in a request: sent, loaded on demand, or off. */
  tools(sessionId: string): Promise<ToolsView>
  /**
   * Calls `listener` synchronously with every event of the session from now on; recorded events after they are stored.
   * It must be quick and must not throw. While another process runs the session, there are no events; `taken` is called
   * once this process has taken it over.
   */
  listen(sessionId: string, listener: (event: SessionEvent) => void, taken?: () => void): () => void
  /** What is being streamed right now, as live events that rebuild it from scratch. */
  live(sessionId: string): LiveEvent[]
  /** Paths in the session's project that match `query`, best first. */
  completeFile(sessionId: string, query: string, limit: number): Promise<{ path: string; isFolder: boolean }[]>
}

/** What happens to sessions; see `SessionManager.follow`. */
export interface SessionsListener {
  /** After events have been recorded, with the header before them; without events after a session was created. */
  recorded?(session: Session, before: SessionHeader | undefined, events: readonly RecordedEvent[]): void
  /** When a session has been loaded. */
  opened?(session: Session): void
  removed?(sessionId: string): void
}
