import { create } from 'zustand'
import type { SessionSummary } from '../../shared/model/session'

export interface SessionsState {
  sessions: ReadonlyMap<string, SessionSummary>
  /** When each session last began to work (ms): the order of the list. It stays while a session works, so rows do not jump about. */
  ranks: ReadonlyMap<string, number>
  /** False until the first whole list has come. */
  loaded: boolean
}

export const NO_SESSIONS: SessionsState = { sessions: new Map(), ranks: new Map(), loaded: false }

/** Takes in changed and removed sessions. Pure. */
export function withChanges(state: SessionsState, changed: readonly SessionSummary[], removed: readonly string[]): SessionsState {
  if (changed.length === 0 && removed.length === 0) return state
  const sessions = new Map(state.sessions)
  const ranks = new Map(state.ranks)
  for (const summary of changed) {
    const before = sessions.get(summary.sessionId)
    if (!before || (!isActive(before) && isActive(summary))) ranks.set(summary.sessionId, summary.updatedAt)
    sessions.set(summary.sessionId, summary)
  }
  for (const sessionId of removed) {
    sessions.delete(sessionId)
    ranks.delete(sessionId)
  }
  return { ...state, sessions, ranks }
}

/**
 * Takes in a whole list as a subscription begins with: sessions that are missing in it are gone. The list names only what is not archived,
 * so archived sessions that were asked for stay. Pure.
 */
export function withWholeList(state: SessionsState, list: readonly SessionSummary[]): SessionsState {
  const listed = new Set(list.map((summary) => summary.sessionId))
  const gone = [...state.sessions.values()]
    .filter((summary) => !summary.archived && !listed.has(summary.sessionId))
    .map((summary) => summary.sessionId)
  return { ...withChanges(state, list, gone), loaded: true }
}

function isActive(summary: SessionSummary): boolean {
  return summary.status === 'running' || summary.status === 'waiting'
}

/** Every session this window knows, told by the engine's push and by nothing else. */
export const useSessions = create<SessionsState>()(() => NO_SESSIONS)

/** How many sessions wait for an answer. */
export function waitingSessions(state: SessionsState): SessionSummary[] {
  return [...state.sessions.values()].filter((summary) => summary.waiting > 0).sort((a, b) => a.updatedAt - b.updatedAt)
}
