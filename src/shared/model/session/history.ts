/** A problem in a history; events are identified by their number. */
export interface HistoryProblem {
  /** `rewritten`: consistent in itself, but not the history that a noted hash belongs to. */
  kind: 'altered' | 'removed' | 'inserted' | 'reordered' | 'rewritten'
  /** The first event it concerns, and the last one if there are several. */
  seq: number
  to?: number
  /** A sentence for the user. */
  text: string
}

/** The result of checking the history of one session against its hashes. */
export interface HistoryCheck {
  sessionId: string
  title: string
  ok: boolean
  /** How many events were checked. */
  events: number
  /** The leading events without a hash, because they are from before hashes were recorded. Later hashes cover them. */
  withoutHash: number
  /** The hash of the last event; if it has none, the hash that the next event will build on. */
  head: string
  /** The event with the expected hash. */
  expectedAt?: number
  problem?: HistoryProblem
}

/** The result of checking all sessions, including those of subagents. */
export interface HistoriesCheck {
  ok: boolean
  sessions: number
  events: number
  /** The checks that found a problem. */
  failed: HistoryCheck[]
}

/** A file that an event changed. */
export interface ReplayFile {
  path: string
  action: 'created' | 'changed' | 'deleted'
  /** The change as a unified diff; absent when the contents are not text or no longer stored. */
  diff?: string
  added?: number
  removed?: number
  /** Why there is no diff, or what it omits. */
  note?: string
}

/** One event of a replay, as text for people. */
export interface ReplayStep {
  seq: number
  /** How many events the session has. */
  total: number
  at: number
  type: string
  /** The number of the turn it belongs to, from 1; 0 before the first one. */
  turn: number
  /** What happened, as a short sentence. */
  title: string
  /** Its text, shortened when it is long. */
  text: string
  /** The recorded changes of files. */
  files: ReplayFile[]
  /** More changed files than those listed. */
  moreFiles: number
  /** Its hash; absent in events that are from before hashes were recorded. */
  hash?: string
}

/** The start of a turn, to jump to. */
export interface ReplayTurn {
  turn: number
  seq: number
  at: number
  /** The start of its prompt. */
  text: string
}

/** What can be replayed of a session. */
export interface ReplayOverview {
  sessionId: string
  title: string
  /** How many events the session has. */
  total: number
  turns: ReplayTurn[]
}
