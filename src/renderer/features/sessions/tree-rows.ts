import type { SearchHit, SessionSummary } from '../../../shared/model/session/session'
import { titleOf, type Project } from '../../state/session-list/sessions-state'

/** One line of the sidebar's list. `key` is unique and stable. */
export type TreeRow =
  | { kind: 'project'; key: string; folder: string; count: number; collapsed: boolean }
  | {
      kind: 'session'
      key: string
      summary: SessionSummary
      level: 1 | 2
      /** Shown beside the title when no project row is above it. */ showFolder: boolean
    }
  /** Shows more of a project's sessions. `step`: how many; `hidden`: how many are left. */
  | { kind: 'more'; key: string; folder: string; step: number; hidden: number }
  | { kind: 'archive'; key: string; open: boolean; loading: boolean }
  | { kind: 'hit'; key: string; hit: SearchHit }
  | { kind: 'heading'; key: string; text: string }
  /** When the sessions below it last changed. */
  | { kind: 'date'; key: string; text: string }
  | { kind: 'note'; key: string; text: string }

/** Number of sessions of a project shown initially. */
export const SHOWN_SESSIONS = 8
/** A project that shows fewer has no date headings. */
const MIN_DATED = 6
/** Number added by the first "Show more"; each further one adds twice as many. */
const FIRST_STEP = 5

interface TreeInput {
  projects: readonly Project[]
  collapsed: ReadonlySet<string>
  /** How often "Show more" was used, by folder. */
  grown: ReadonlyMap<string, number>
  /** Listed above the projects. */
  pinned: ReadonlySet<string>
  /** Whether a session is always shown, wherever it is in the order: working, waiting, unread, or open. */
  isKept: (summary: SessionSummary) => boolean
  /** `day`: all projects together, by the day of their last change. */
  grouping?: 'project' | 'day'
  archived: readonly SessionSummary[]
  /** `any`: the archive is not empty. */
  archive: { open: boolean; loading: boolean; any: boolean }
  /** ms since the epoch: distinguishes today from yesterday. */
  now: number
}

/** Pinned sessions, projects with their latest sessions by date, then the archive. */
export function treeRows({
  projects,
  collapsed,
  grown,
  pinned,
  isKept,
  grouping = 'project',
  archived,
  archive,
  now,
}: TreeInput): TreeRow[] {
  const rows: TreeRow[] = []
  const atTop = projects.flatMap(({ sessions }) => sessions.filter(({ sessionId }) => pinned.has(sessionId)))
  if (atTop.length > 0) rows.push({ kind: 'heading', key: 'pinned', text: 'Pinned' })
  for (const summary of atTop)
    rows.push({ kind: 'session', key: summary.sessionId, summary, level: 1, showFolder: true })
  if (grouping === 'day') rows.push(...dayRows(projects, pinned, now))
  for (const { folder, sessions } of grouping === 'day' ? [] : projects) {
    const isCollapsed = collapsed.has(folder)
    rows.push({ kind: 'project', key: `project:${folder}`, folder, count: sessions.length, collapsed: isCollapsed })
    if (isCollapsed) continue
    const below = sessions.filter(({ sessionId }) => !pinned.has(sessionId))
    const times = grown.get(folder) ?? 0
    const limit = shownAfter(times)
    const shown = below.filter((summary, index) => index < limit || isKept(summary))
    // A row that says "1 more" would take as much space as the session.
    const all = below.length - shown.length <= 1 ? below : shown
    const groups = dateGroups(all, now)
    const dated = all.length >= MIN_DATED && groups.length > 1
    for (const { name, sessions: some } of groups) {
      if (dated) rows.push({ kind: 'date', key: `date:${folder}:${name}`, text: name })
      for (const summary of some)
        rows.push({ kind: 'session', key: summary.sessionId, summary, level: 2, showFolder: false })
    }
    const hidden = below.length - all.length
    if (hidden > 0)
      rows.push({
        kind: 'more',
        key: `more:${folder}`,
        folder,
        step: Math.min(hidden, FIRST_STEP * 2 ** times),
        hidden,
      })
  }
  const none = archive.any ? 'No active sessions.' : 'No sessions yet.'
  if (projects.length === 0) rows.push({ kind: 'note', key: 'no-sessions', text: none })
  if (!archive.any) return rows
  rows.push({ kind: 'archive', key: 'archive', open: archive.open, loading: archive.loading })
  if (archive.open) {
    for (const summary of archived)
      rows.push({ kind: 'session', key: summary.sessionId, summary, level: 2, showFolder: true })
  }
  return rows
}

/** All sessions but the pinned ones, latest first, with a heading for each stretch of days. */
function dayRows(projects: readonly Project[], pinned: ReadonlySet<string>, now: number): TreeRow[] {
  const sessions = projects
    .flatMap((project) => project.sessions)
    .filter(({ sessionId }) => !pinned.has(sessionId))
    .sort((a, b) => b.updatedAt - a.updatedAt || a.sessionId.localeCompare(b.sessionId))
  return dateGroups(sessions, now).flatMap(({ name, sessions: some }): TreeRow[] => [
    { kind: 'heading', key: `day:${name}`, text: name },
    ...some.map((summary): TreeRow => ({
      kind: 'session',
      key: summary.sessionId,
      summary,
      level: 1,
      showFolder: true,
    })),
  ])
}

function shownAfter(times: number): number {
  return SHOWN_SESSIONS + FIRST_STEP * (2 ** times - 1)
}

interface SearchInput {
  query: string
  sessions: readonly SessionSummary[]
  /** Undefined while searching. */
  hits: readonly SearchHit[] | undefined
}

/** Search results: titles and folders immediately, messages when the search has finished. */
export function searchRows({ query, sessions, hits }: SearchInput): TreeRow[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const rows: TreeRow[] = []
  for (const summary of sessions) {
    const text = `${titleOf(summary)}\n${summary.folder}`.toLocaleLowerCase()
    if (words.every((word) => text.includes(word)))
      rows.push({ kind: 'session', key: summary.sessionId, summary, level: 1, showFolder: true })
  }
  if (rows.length === 0) rows.push({ kind: 'note', key: 'no-title', text: 'No matching titles' })
  rows.push({ kind: 'heading', key: 'messages', text: 'In messages' })
  if (!hits) rows.push({ kind: 'note', key: 'searching', text: 'Searching…' })
  else if (hits.length === 0) rows.push({ kind: 'note', key: 'no-hit', text: 'No matching messages' })
  else for (const hit of hits) rows.push({ kind: 'hit', key: `hit:${hit.sessionId}:${hit.seq}`, hit })
  return rows
}

/** Whether the row can be reached and activated by keyboard. */
export function isReachable(row: TreeRow | undefined): boolean {
  return row !== undefined && row.kind !== 'note' && row.kind !== 'heading' && row.kind !== 'date'
}

/** The snippet in parts; `marked` are the words that matched (between U+0001 and U+0002). */
export function snippetPieces(snippet: string): { text: string; marked: boolean }[] {
  return snippet
    .split('\u0001')
    .flatMap((piece, index) => {
      if (index === 0) return [{ text: piece, marked: false }]
      const end = piece.indexOf('\u0002')
      return end === -1
        ? [{ text: piece, marked: true }]
        : [
            { text: piece.slice(0, end), marked: true },
            { text: piece.slice(end + 1), marked: false },
          ]
    })
    .filter((piece) => piece.text !== '')
}

/** Sessions last changed in the same period, in the order of the list. */
export interface DateGroup {
  name: string
  sessions: SessionSummary[]
}

/** The label of each period, and how many days before today it starts; older ones come last. */
const STRETCHES = [
  { name: 'Today', days: 0 },
  { name: 'Yesterday', days: 1 },
  { name: 'Previous 7 days', days: 7 },
  { name: 'Previous 30 days', days: 30 },
]
const OLDER = 'Older'

/**
 * Groups sessions, latest first, by the day of their last change. Days are local calendar days, not 24 hours. A session
 * that changed after one listed above it (titles and the archive change too) stays in place, because the list defines
 * the order.
 */
export function dateGroups(sessions: readonly SessionSummary[], now: number): DateGroup[] {
  const today = new Date(now)
  const begins = STRETCHES.map(({ days }) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).getTime(),
  )
  const groups: DateGroup[] = []
  let stretch = 0
  for (const summary of sessions) {
    while (stretch < begins.length && summary.updatedAt < (begins[stretch] ?? 0)) stretch += 1
    const name = STRETCHES[stretch]?.name ?? OLDER
    const last = groups.at(-1)
    if (last?.name === name) last.sessions.push(summary)
    else groups.push({ name, sessions: [summary] })
  }
  return groups
}
