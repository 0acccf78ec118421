/** Set while a session is sealed: it continues at another place, and nothing can be added to it here. */
export interface SealedSession {
  moveId: string
  /** The address of the home that may receive it. */
  to: string
  /** The user's name for that place. */
  place?: string
  at: number
}

/** The state of a session's project when it was sealed. */
export interface MovedProject {
  /** The commit that was checked out. */
  commit: string
  branch?: string
  /** The tree with every file as it was then. */
  tree: string
  /** The tree with what was staged, if it differs from both. */
  index?: string
  /** The session's folder inside the repository; empty: its top. */
  folder: string
}

/** The last event of a session at some point, and its hash. */
export interface HistoryHead {
  sessionId: string
  seq: number
  hash: string
}

/** The address of a home, which sessions are sealed for. */
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
  /** Contents of files that are kept for undo. */
  contents: number
  /** Whether the file contains the project as well. */
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
  /** The project's files come from the file, were already there, or are not included. */
  project: 'written' | 'present' | 'none'
  /** What the user should know, as sentences. */
  notes: string[]
  head: string
}

/** The steps of a move, in order; `connect`: the place is asked for its address. */
export const MOVE_STEPS = ['connect', 'seal', 'receive'] as const

export type MoveStep = (typeof MOVE_STEPS)[number]

/** Progress of a move: its steps, then what was received. */
export type MoveProgress =
  | { type: 'step'; step: MoveStep; /** How far its copy is. */ text?: string }
  /** Absent: it had been received by an earlier attempt. */
  | { type: 'done'; moved?: MovedIn }
