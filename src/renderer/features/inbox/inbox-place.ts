import type { InboxEntry } from '../../../shared/model/approval'
import { entryKey } from '../../state/inbox-state'
import { inboxGroups, type InboxGroup } from './inbox-groups'

/** What the page is looking at. Plain data; every step is pure. */
export interface InboxPlace {
  /** The request that is open. `undefined`: whatever comes first; `closed`: none, by the user's wish. */
  open: InboxEntry | 'closed' | undefined
  /** Answered from this page; the list may still have them for a moment. */
  answered: ReadonlySet<string>
}

export const NOWHERE: InboxPlace = { open: undefined, answered: new Set() }

/** The rows to show. The open one stays, `gone`, when it was settled elsewhere: nothing else takes its place under the cursor. */
export interface InboxRows {
  groups: InboxGroup[]
  open: InboxEntry | undefined
  gone: boolean
}

/** What a new list means for where one looks: only when nothing was open does the first request open by itself. */
export function look(place: InboxPlace, entries: readonly InboxEntry[]): InboxPlace {
  const { open } = place
  if (open === 'closed') return place
  if (open === undefined) {
    const first = entries.find((entry) => !place.answered.has(entryKey(entry)))
    return first ? { ...place, open: first } : place
  }
  return place
}

export function rowsOf(place: InboxPlace, entries: readonly InboxEntry[]): InboxRows {
  const waiting = entries.filter((entry) => !place.answered.has(entryKey(entry)))
  const open = typeof place.open === 'object' ? place.open : undefined
  if (!open) return { groups: inboxGroups(waiting), open: undefined, gone: false }
  const listed = waiting.find((entry) => entryKey(entry) === entryKey(open))
  if (listed) return { groups: inboxGroups(waiting), open: listed, gone: false }
  const at = waiting.findIndex((entry) => entry.requestedAt > open.requestedAt)
  const rows = at === -1 ? [...waiting, open] : [...waiting.slice(0, at), open, ...waiting.slice(at)]
  return { groups: inboxGroups(rows), open, gone: true }
}

/** The request was answered here: the next one behind it that was not opens, or else the nearest before. */
export function answered(place: InboxPlace, rows: InboxRows, entry: InboxEntry, entries: readonly InboxEntry[]): InboxPlace {
  const listed = new Set(entries.map(entryKey))
  const known = new Set([...place.answered].filter((key) => listed.has(key)).concat(entryKey(entry)))
  const next = (step: 1 | -1): InboxEntry | undefined => {
    let row = neighbour(rows, entry, step)
    while (row && known.has(entryKey(row))) row = neighbour(rows, row, step)
    return row
  }
  return { open: next(1) ?? next(-1), answered: known }
}

/** The row before or behind. */
export function neighbour({ groups }: InboxRows, entry: InboxEntry, step: 1 | -1): InboxEntry | undefined {
  const rows = groups.flatMap((group) => group.entries)
  const at = rows.findIndex((row) => entryKey(row) === entryKey(entry))
  return at === -1 ? undefined : rows[at + step]
}
