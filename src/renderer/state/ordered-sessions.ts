import type { SessionSummary } from '../../shared/model/session'
import type { SessionsState } from './sessions-state'

/** A folder with its sessions, latest first. */
export interface Project {
  folder: string
  sessions: SessionSummary[]
}

/** Sessions that are not archived, grouped by folder; the folder that was worked in last comes first. */
export function projectsOf({ sessions, ranks }: SessionsState): Project[] {
  const groups = new Map<string, SessionSummary[]>()
  for (const summary of sessions.values()) {
    if (summary.archived) continue
    const group = groups.get(summary.folder)
    if (group) group.push(summary)
    else groups.set(summary.folder, [summary])
  }
  const rank = (summary: SessionSummary): number => ranks.get(summary.sessionId) ?? summary.updatedAt
  const byRank = (a: SessionSummary, b: SessionSummary): number => rank(b) - rank(a) || a.sessionId.localeCompare(b.sessionId)
  const projects = [...groups].map(([folder, list]) => ({ folder, sessions: list.sort(byRank) }))
  const top = (project: Project): number => (project.sessions[0] ? rank(project.sessions[0]) : 0)
  return projects.sort((a, b) => top(b) - top(a) || a.folder.localeCompare(b.folder))
}

/** Archived sessions, latest first. */
export function archivedOf({ sessions }: SessionsState): SessionSummary[] {
  return [...sessions.values()].filter((summary) => summary.archived).sort((a, b) => b.updatedAt - a.updatedAt)
}

/** What a session is called on screen; one without a prompt has no title yet. */
export function titleOf(summary: Pick<SessionSummary, 'title'>): string {
  return summary.title || 'New session'
}

/** The session before or after this one in the order of the sidebar. */
export function neighbourOf(projects: readonly Project[], sessionId: string | undefined, step: 1 | -1): string | undefined {
  const ids = projects.flatMap((project) => project.sessions.map((summary) => summary.sessionId))
  if (ids.length === 0) return undefined
  const at = sessionId === undefined ? -1 : ids.indexOf(sessionId)
  if (at === -1) return step === 1 ? ids[0] : ids.at(-1)
  return ids[(at + step + ids.length) % ids.length]
}
