import type { SessionAgent } from '../../../shared/model/session/agent'
import type { Effort } from '../../../shared/model/turn/effort'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import type { SessionSchedule } from '../../../shared/model/assistant/schedule'
import type { ImportedFrom, SearchHit, SessionHeader, SessionSummary } from '../../../shared/model/session/session'

/** How events are appended. */
export interface AppendOptions {
  /** The events are copied from another session, which already counts their spending. */
  copied?: boolean
  /** When each happened, for a conversation that was recorded elsewhere. Default: now. */
  times?: readonly number[]
}

/**
 * The session store: one append-only event table, and data derived from it. All calls are synchronous (better-sqlite3);
 * after `append` returns, the events survive the death of the process.
 */
export interface Store {
  /** Appends in one transaction: assigns `seq` and `at`, folds the header, and indexes text for search. */
  append(sessionId: string, bodies: readonly EventBody[], options?: AppendOptions): RecordedEvent[]
  /**
   * Holds events in memory that could not be appended (the end of a turn on a full disk); the next append that succeeds
   * writes them.
   */
  hold(sessionId: string, bodies: readonly EventBody[]): RecordedEvent[]
  /** Creates a session in a folder (its real path) and takes its lease. */
  create(input: {
    sessionId: string
    folder: string
    title: string
    mode: SessionHeader['mode']
    model?: string
    effort?: Effort
    addedFolders: string[]
    agent?: SessionAgent
    forkedFrom?: { sessionId: string; seq: number }
    schedule?: SessionSchedule
    imported?: ImportedFrom
  }): SessionHeader
  header(sessionId: string): SessionHeader | undefined
  /** Newest first, without those of subagents. `folder` is a real path. */
  list(filter?: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[]
  /** Events with `seq > since`, oldest first. */
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  /**
   * A window of at most about `limit` events that ends before `before` (default: the end). It starts at a
   * `turn.started` or `step.started` (or the start of the session), so that it can be folded without earlier events.
   * Events removed by a restore are left out.
   */
  window(sessionId: string, options: { before?: number; limit: number }): { events: RecordedEvent[]; hasMore: boolean }
  /** Events of these types with `seq > since`, oldest first, including those removed by a restore. */
  ofTypes<Type extends RecordedEvent['type']>(
    sessionId: string,
    types: readonly Type[],
    since?: number,
  ): Extract<RecordedEvent, { type: Type }>[]
  /**
   * The events that make up the model's history, newest first and lazily: stop iterating when you have enough. Without
   * events removed by a restore.
   */
  historyBackwards(sessionId: string, upTo?: number): Iterable<RecordedEvent>
  search(query: string, limit?: number, sessionId?: string): SearchHit[]
  /**
   * Takes the session's lease for this process; not ok, with where it runs, if another live process has it.
   */
  acquire(sessionId: string): { ok: true } | { ok: false; where: string }
  release(sessionId: string): void
  /** Sessions with pending requests, whether or not a process has them; `elsewhere`: the other process that has it. */
  waiting(): { sessionId: string; seq: number; elsewhere?: string }[]
  /** Sessions with an open turn that no live process holds: their process died. */
  interrupted(): string[]
  /** Sessions, not archived, with task notifications that are due. */
  owedNews(): string[]
  /** The sessions of subagents, of one root session or all, most recently changed first. */
  agents(filter: { rootId?: string; activeOnly?: boolean; limit?: number }): SessionHeader[]
  /** Deletes a session and all its events. */
  remove(sessionId: string): void
  close(): void
}
