/** Which releases an app is offered. */
export const UPDATE_CHANNELS = ['stable', 'beta'] as const
export type UpdateChannel = (typeof UPDATE_CHANNELS)[number]

/** What a user can ask for in the Updates section. */
export type UpdateAction =
  | { kind: 'check' }
  | { kind: 'download' }
  | { kind: 'when-idle'; isWanted: boolean }
  | { kind: 'roll-back' }
  | { kind: 'channel'; channel: UpdateChannel }
  | { kind: 'automatic'; isAutomatic: boolean }

/** The view of a host that does not update itself. */
export function noUpdates(installed: string, reason: string): UpdatesView {
  return { installed, state: { kind: 'unavailable', reason }, channel: 'stable', automatic: false, previous: null }
}

/** A release that is newer than the installed one. */
export interface UpdateRelease {
  version: string
  /** Markdown; empty without any. */
  notes: string
  /** When it was published, as ISO time; empty if the feed does not say. */
  date: string
}

/** Why an update was rejected or could not be installed: one sentence each. */
export interface UpdateProblem {
  message: string
  advice: string
}

/** What is known of updates, and what happens with one. */
export type UpdateState =
  | { kind: 'unavailable'; reason: string }
  | { kind: 'current'; checkedAt?: number; problem?: UpdateProblem }
  | { kind: 'checking' }
  | { kind: 'available'; release: UpdateRelease }
  | { kind: 'downloading'; release: UpdateRelease; percent: number }
  /** Verified and on disk. It is installed when the app is closed; `whenIdle`: as soon as nothing is running. */
  | { kind: 'ready'; release: UpdateRelease; whenIdle: boolean; waitsFor: string | null }

/** The Updates section of the settings. */
export interface UpdatesView {
  installed: string
  state: UpdateState
  channel: UpdateChannel
  /** Whether new releases are downloaded without asking. */
  automatic: boolean
  /** The version that can be put back; null if none is kept. */
  previous: string | null
}
