import { create } from 'zustand'
import type { AppPush } from '../../../shared/events/push'
import { projectFolder } from '../../../shared/model/project/scratch-folder'
import type { SessionSummary } from '../../../shared/model/session/session'

export interface SessionsState {
  sessions: ReadonlyMap<string, SessionSummary>
  /**
   * When each session last started to work (ms), which is the order of the list. It stays while a session works, so
   * that rows do not jump.
   */
  ranks: ReadonlyMap<string, number>
  /** False until the first part of the list has arrived: the latest sessions. */
  loaded: boolean
}

export const NO_SESSIONS: SessionsState = { sessions: new Map(), ranks: new Map(), loaded: false }

/** Applies changed and removed sessions. Pure. */
export function withChanges(
  state: SessionsState,
  changed: readonly SessionSummary[],
  removed: readonly string[],
): SessionsState {
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
 * Applies a push. `named`: every session that the initial list of the subscription has contained so far, including this
 * push; undefined once that list is complete. Sessions missing from the complete list were deleted. Archived sessions
 * that were requested stay. Pure.
 */
export function withListPush(
  state: SessionsState,
  { changed, removed, more }: Pick<Extract<AppPush, { type: 'sessions' }>, 'changed' | 'removed' | 'more'>,
  named: ReadonlySet<string> | undefined,
): SessionsState {
  const next = withChanges(state, changed, removed)
  if (!named || more) return { ...next, loaded: true }
  const gone = [...next.sessions.values()]
    .filter((summary) => !summary.archived && !named.has(summary.sessionId))
    .map((summary) => summary.sessionId)
  return { ...withChanges(next, [], gone), loaded: true }
}

/**
 * Applies the list of the archive. `before`: the previous list; sessions in it that are missing now were deleted. Pure.
 */
export function withArchive(
  state: SessionsState,
  list: readonly SessionSummary[],
  before: readonly SessionSummary[] = [],
): SessionsState {
  const named = new Set(list.map(({ sessionId }) => sessionId))
  const gone = before.flatMap(({ sessionId }) =>
    !named.has(sessionId) && state.sessions.get(sessionId)?.archived ? [sessionId] : [],
  )
  return withChanges(state, list, gone)
}

function isActive(summary: SessionSummary): boolean {
  return summary.status === 'running' || summary.status === 'waiting'
}

/** Every session this window knows, updated only by pushes of the engine. */
export const useSessions = create<SessionsState>()(() => NO_SESSIONS)

/** Sessions with a pending request, the longest waiting first. */
export function waitingSessions(state: SessionsState): SessionSummary[] {
  return [...state.sessions.values()].filter((summary) => summary.waiting > 0).sort((a, b) => a.updatedAt - b.updatedAt)
}

/**
 * A folder with its sessions, latest first. Sessions without a project are grouped under the parent of their folders.
 */
export interface Project {
  folder: string
  sessions: SessionSummary[]
}

/** Sessions that are not archived, grouped by folder; the most recently used folder comes first. */
export function projectsOf({ sessions, ranks }: SessionsState): Project[] {
  const groups = new Map<string, SessionSummary[]>()
  for (const summary of sessions.values()) {
    if (summary.archived) continue
    // A worktree belongs to the project that it was made from.
    const folder = projectFolder(summary.worktree?.project ?? summary.folder)
    const group = groups.get(folder)
    if (group) group.push(summary)
    else groups.set(folder, [summary])
  }
  const rank = (summary: SessionSummary): number => ranks.get(summary.sessionId) ?? summary.updatedAt
  const byRank = (a: SessionSummary, b: SessionSummary): number =>
    rank(b) - rank(a) || a.sessionId.localeCompare(b.sessionId)
  const projects = [...groups].map(([folder, list]) => ({ folder, sessions: list.sort(byRank) }))
  const top = (project: Project): number => (project.sessions[0] ? rank(project.sessions[0]) : 0)
  return projects.sort((a, b) => top(b) - top(a) || a.folder.localeCompare(b.folder))
}

/** Archived sessions, latest first. */
export function archivedOf({ sessions }: SessionsState): SessionSummary[] {
  return [...sessions.values()].filter((summary) => summary.archived).sort((a, b) => b.updatedAt - a.updatedAt)
}

/** The name of a session on screen; one without a prompt has no title yet. */
export function titleOf(summary: Pick<SessionSummary, 'title'>): string {
  return summary.title || 'New session'
}

/** The previous or next session in the order of the sidebar. */
export function adjacentSession(
  projects: readonly Project[],
  sessionId: string | undefined,
  step: 1 | -1,
): string | undefined {
  const ids = projects.flatMap((project) => project.sessions.map((summary) => summary.sessionId))
  if (ids.length === 0) return undefined
  const at = sessionId === undefined ? -1 : ids.indexOf(sessionId)
  if (at === -1) return step === 1 ? ids[0] : ids.at(-1)
  return ids[(at + step + ids.length) % ids.length]
}
