import type { SearchHit, SessionSummary } from '../../../shared/model/session'
import { titleOf, type Project } from '../../state/session/sessions-state'

/** One line of the sidebar's list. `key` is unique and stays with what it stands for. */
export type TreeRow =
  | { kind: 'project'; key: string; folder: string; count: number; collapsed: boolean }
  | {
      kind: 'session'
      key: string
      summary: SessionSummary
      level: 1 | 2
      /** Said beside the title where no project row is above it. */ showFolder: boolean
    }
  /** Leads to the next of a project's sessions. `step`: how many; `hidden`: how many are left. */
  | { kind: 'more'; key: string; folder: string; step: number; hidden: number }
  | { kind: 'archive'; key: string; open: boolean; loading: boolean }
  | { kind: 'hit'; key: string; hit: SearchHit }
  | { kind: 'heading'; key: string; text: string }
  /** When the sessions below it last changed. */
  | { kind: 'date'; key: string; text: string }
  | { kind: 'note'; key: string; text: string }

/** So many sessions of a project are shown at first. */
export const SHOWN_SESSIONS = 8
/** A project that shows fewer is read at a glance, without dates. */
const MIN_DATED = 6
/** So many come with the first "Show more"; each further one brings twice as many. */
const FIRST_STEP = 5

interface TreeInput {
  projects: readonly Project[]
  collapsed: ReadonlySet<string>
  /** How often more was asked for, by folder. */
  grown: ReadonlyMap<string, number>
  /** Stand above the projects. */
  pinned: ReadonlySet<string>
  /** Whether a session is shown wherever it stands in the order: it works, waits, was not read, or is open. */
  isKept: (summary: SessionSummary) => boolean
  archived: readonly SessionSummary[]
  /** `any`: there is something in it. */
  archive: { open: boolean; loading: boolean; any: boolean }
  /** ms since the epoch: tells today from yesterday. */
  now: number
}

/** What is pinned, projects with their latest sessions by date, then the archive. */
export function treeRows({ projects, collapsed, grown, pinned, isKept, archived, archive, now }: TreeInput): TreeRow[] {
  const rows: TreeRow[] = []
  const atTop = projects.flatMap(({ sessions }) => sessions.filter(({ sessionId }) => pinned.has(sessionId)))
  if (atTop.length > 0) rows.push({ kind: 'heading', key: 'pinned', text: 'Pinned' })
  for (const summary of atTop)
    rows.push({ kind: 'session', key: summary.sessionId, summary, level: 1, showFolder: true })
  for (const { folder, sessions } of projects) {
    const isCollapsed = collapsed.has(folder)
    rows.push({ kind: 'project', key: `project:${folder}`, folder, count: sessions.length, collapsed: isCollapsed })
    if (isCollapsed) continue
    const below = sessions.filter(({ sessionId }) => !pinned.has(sessionId))
    const times = grown.get(folder) ?? 0
    const limit = shownAfter(times)
    const shown = below.filter((summary, index) => index < limit || isKept(summary))
    // A row that says "1 more" takes the place of that one.
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
  if (projects.length === 0) rows.push({ kind: 'note', key: 'no-sessions', text: 'No sessions yet.' })
  if (!archive.any) return rows
  rows.push({ kind: 'archive', key: 'archive', open: archive.open, loading: archive.loading })
  if (archive.open) {
    for (const summary of archived)
      rows.push({ kind: 'session', key: summary.sessionId, summary, level: 2, showFolder: true })
  }
  return rows
}

function shownAfter(times: number): number {
  return SHOWN_SESSIONS + FIRST_STEP * (2 ** times - 1)
}

interface SearchInput {
  query: string
  sessions: readonly SessionSummary[]
  /** Undefined while they are being looked for. */
  hits: readonly SearchHit[] | undefined
}

/** What fits the search: titles and folders at once, messages when they have been looked through. */
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

/** Whether the row can be reached and acted on by keyboard. */
export function isReachable(row: TreeRow | undefined): boolean {
  return row !== undefined && row.kind !== 'note' && row.kind !== 'heading' && row.kind !== 'date'
}

/** The snippet in pieces; `marked` are the words that matched (between U+0001 and U+0002). */
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

/** Sessions that were last at work in the same stretch of time, in the order of the list. */
export interface DateGroup {
  name: string
  sessions: SessionSummary[]
}

/** What each stretch is called, and how many days before today it begins; what is older comes last. */
const STRETCHES = [
  { name: 'Today', days: 0 },
  { name: 'Yesterday', days: 1 },
  { name: 'Previous 7 days', days: 7 },
  { name: 'Previous 30 days', days: 30 },
]
const OLDER = 'Older'

/**
 * Sessions, latest first, by the day on which each last changed. Days are those of the calendar here, not 24 hours. A session that changed after one that
 * stands above it (titles and the archive change, too) stays where it is: the order is the list's.
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
