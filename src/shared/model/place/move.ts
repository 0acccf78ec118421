/** Set while a session is sealed: it continues at another place, and nothing can be added to it here. */
export interface SealedSession {
  moveId: string
  /** The address of the home that may receive it. */
  to: string
  /** What the user calls that place. */
  place?: string
  at: number
}

/** How the project of a session was when it was sealed. */
export interface MovedProject {
  /** The commit that was checked out. */
  commit: string
  branch?: string
  /** The tree with every file as it was. */
  tree: string
  /** The tree with what was staged, if it differs from both. */
  index?: string
  /** The session's folder inside the repository; empty: its top. */
  folder: string
}

/** The last event that a session had at some point, and its hash. */
export interface HistoryHead {
  sessionId: string
  seq: number
  hash: string
}

/** The address of a home: what a session is sealed for. */
export interface HomeAddress {
  address: string
}

/** A session that was written to a file. */
export interface MovedOut {
  moveId: string
  sessionId: string
  file: string
  bytes: number
  /** Of the session and its subagents together. */
  events: number
  /** Contents of files that are kept for undoing. */
  contents: number
  /** Whether the file has the project as well. */
  hasProject: boolean
  /** The hash of the last event, which seals the session. */
  head: string
}

/** A session that was received from a file. */
export interface MovedIn {
  moveId: string
  sessionId: string
  title: string
  folder: string
  /** How often the session has moved, plus one. */
  epoch: number
  events: number
  contents: number
  /** What became of the project: its files come from the file, were there already, or are not part of it. */
  project: 'written' | 'present' | 'none'
  /** What the user should know, as sentences. */
  notes: string[]
  head: string
}

/** What happens in a move, in order; `connect`: the place is asked for its address. */
export const MOVE_STEPS = ['connect', 'seal', 'receive'] as const

export type MoveStep = (typeof MOVE_STEPS)[number]

/** Progress of a move: its steps, then what was received. */
export type MoveProgress =
  | { type: 'step'; step: MoveStep; /** How far its copy is. */ text?: string }
  /** Absent: it had been received by an earlier attempt. */
  | { type: 'done'; moved?: MovedIn }
