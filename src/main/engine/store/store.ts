import type { SessionAgent } from '../../../shared/model/agent'
import type { Effort } from '../../../shared/model/effort'
import type { EventBody, RecordedEvent } from '../../../shared/events/event'
import type { SearchHit, SessionHeader, SessionSummary } from '../../../shared/model/session'

/**
 * The session store: one append-only event table and what is derived from it. All calls are synchronous
 * (better-sqlite3); an append that returned survives the death of the process.
 */
export interface Store {
  /** Appends in one transaction, gives `seq` and `at`, folds the header, indexes text for search. */
  append(sessionId: string, bodies: readonly EventBody[]): RecordedEvent[]
  /** Takes events that could not be appended, the end of a turn on a full disk, in memory; they go into the log with the next append that succeeds. */
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
  }): SessionHeader
  header(sessionId: string): SessionHeader | undefined
  /** Newest first, without those of subagents. `folder` is a real path. */
  list(filter?: { folder?: string; archived?: boolean; limit?: number }): SessionSummary[]
  /** Events with `seq > since`, oldest first. */
  since(sessionId: string, since: number, limit?: number): RecordedEvent[]
  /**
   * A window of at most about `limit` events that ends before `before` (default: the end). It starts at a `turn.started` or
   * `step.started` (or the session's beginning), so that it folds by itself. What the conversation went back over is left out.
   */
  window(sessionId: string, options: { before?: number; limit: number }): { events: RecordedEvent[]; hasMore: boolean }
  /** Events of these types with `seq > since`, oldest first, also those that the conversation has left behind. */
  ofTypes<Type extends RecordedEvent['type']>(
    sessionId: string,
    types: readonly Type[],
    since?: number,
  ): Extract<RecordedEvent, { type: Type }>[]
  /** Only the events the model's history is made of, newest first, lazily: stop reading when enough. Without what the conversation went back over. */
  historyBackwards(sessionId: string, upTo?: number): Iterable<RecordedEvent>
  search(query: string, limit?: number, sessionId?: string): SearchHit[]
  /** Takes the session for this process; false with where it runs when another live process has it. */
  acquire(sessionId: string): { ok: true } | { ok: false; where: string }
  release(sessionId: string): void
  /** Sessions with requests that wait for a person, whether or not a process has them; `elsewhere` says which other one does. */
  waiting(): { sessionId: string; seq: number; elsewhere?: string }[]
  /** Sessions with a turn that is open although no live process holds them: their process died. */
  interrupted(): string[]
  /** Sessions, not archived, whose agent is still to be told of background tasks. */
  owedNews(): string[]
  /** The sessions of subagents, of one family or all, latest changed first. */
  agents(filter: { rootId?: string; activeOnly?: boolean; limit?: number }): SessionHeader[]
  /** Deletes a session and all its events. */
  remove(sessionId: string): void
  close(): void
}
