/** What is wrong with a history; events are named by their number. */
export interface HistoryProblem {
  /** `rewritten`: consistent in itself, but not the history that a noted hash belongs to. */
  kind: 'altered' | 'removed' | 'inserted' | 'reordered' | 'rewritten'
  /** The first event it is about, and the last one if there are several. */
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
  /**
   * The first of them that have no hash of their own, because they are older than the hashes. Later hashes cover them.
   */
  withoutHash: number
  /** The hash of the last event; without a hash of its own, the one that the next event will follow. */
  head: string
  /** The event that has the hash which was asked for. */
  expectedAt?: number
  problem?: HistoryProblem
}

/** The result of checking all sessions, including those of subagents. */
export interface HistoriesCheck {
  ok: boolean
  sessions: number
  events: number
  /** The checks that found something. */
  failed: HistoryCheck[]
}

/** One file that an event says was changed. */
export interface ReplayFile {
  path: string
  action: 'created' | 'changed' | 'deleted'
  /** The difference as a unified diff; absent when the contents are not text or no longer kept. */
  diff?: string
  added?: number
  removed?: number
  /** Why there is no difference to show, or what of it was left out. */
  note?: string
}

/** One event of a replay, as a person reads it. */
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
  /** What it says was changed in files. */
  files: ReplayFile[]
  /** Files it changed beyond those listed. */
  moreFiles: number
  /** Its hash; absent in events that are older than the hashes. */
  hash?: string
}

/** The start of a turn, to jump to. */
export interface ReplayTurn {
  turn: number
  seq: number
  at: number
  /** The beginning of its prompt. */
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
