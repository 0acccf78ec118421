import { useState } from 'react'
import type { InboxEntry } from '../../../shared/model/approval/approval'
import { entryKey } from '../../state/inbox-state'

/** The state of the inbox page. Plain data; every step is pure. */
export interface InboxSelection {
  /** The open request. `undefined`: the first one opens; `closed`: none, because the user closed it. */
  open: InboxEntry | 'closed' | undefined
  /** Answered from this page; the list may still contain them for a moment. */
  answered: ReadonlySet<string>
}

export const NO_SELECTION: InboxSelection = { open: undefined, answered: new Set() }

/**
 * The rows to show. The open one stays, as `gone`, after it was answered elsewhere, so that no other row moves under
 * the cursor.
 */
interface InboxRows {
  groups: InboxGroup[]
  open: InboxEntry | undefined
  gone: boolean
}

/** Applies a new list: the first request opens automatically only if none was open. */
export function selectFirst(place: InboxSelection, entries: readonly InboxEntry[]): InboxSelection {
  const { open } = place
  if (open === 'closed') return place
  if (open === undefined) {
    const first = entries.find((entry) => !place.answered.has(entryKey(entry)))
    return first ? { ...place, open: first } : place
  }
  return place
}

export function inboxRows(place: InboxSelection, entries: readonly InboxEntry[]): InboxRows {
  const waiting = entries.filter((entry) => !place.answered.has(entryKey(entry)))
  const open = typeof place.open === 'object' ? place.open : undefined
  if (!open) return { groups: inboxGroups(waiting), open: undefined, gone: false }
  const listed = waiting.find((entry) => entryKey(entry) === entryKey(open))
  if (listed) return { groups: inboxGroups(waiting), open: listed, gone: false }
  const at = waiting.findIndex((entry) => entry.requestedAt > open.requestedAt)
  const rows = at === -1 ? [...waiting, open] : [...waiting.slice(0, at), open, ...waiting.slice(at)]
  return { groups: inboxGroups(rows), open, gone: true }
}

/** The request was answered here: the next unanswered one opens, or else the nearest before. */
export function selectAfterAnswer(
  place: InboxSelection,
  rows: InboxRows,
  entry: InboxEntry,
  entries: readonly InboxEntry[],
): InboxSelection {
  const listed = new Set(entries.map(entryKey))
  const known = new Set([...place.answered].filter((key) => listed.has(key)).concat(entryKey(entry)))
  const next = (step: 1 | -1): InboxEntry | undefined => {
    let row = adjacentEntry(rows, entry, step)
    while (row && known.has(entryKey(row))) row = adjacentEntry(rows, row, step)
    return row
  }
  return { open: next(1) ?? next(-1), answered: known }
}

/** The previous or next row. */
export function adjacentEntry({ groups }: InboxRows, entry: InboxEntry, step: 1 | -1): InboxEntry | undefined {
  const rows = groups.flatMap((group) => group.entries)
  const at = rows.findIndex((row) => entryKey(row) === entryKey(entry))
  return at === -1 ? undefined : rows[at + step]
}

interface InboxSteps extends InboxRows {
  show(entry: InboxEntry): void
  close(): void
  /** Moves to the row before or after the open one. */
  step(by: 1 | -1): void
  /** Moves on from the open request, which was answered elsewhere. */
  moveOn(): void
  /** The request was answered from this page. */
  onAnswered(entry: InboxEntry): void
  wasAnswered(entry: InboxEntry): boolean
}

/** The inbox state, kept across list updates. */
export function useInboxSelection(entries: readonly InboxEntry[]): InboxSteps {
  const [place, setPlace] = useState(NO_SELECTION)
  const here = selectFirst(place, entries)
  if (here !== place) setPlace(here)
  const rows = inboxRows(here, entries)
  return {
    ...rows,
    show: (entry) => setPlace((before) => ({ ...before, open: entry })),
    close: () => setPlace((before) => ({ ...before, open: 'closed' })),
    step: (by) => {
      const next = rows.open ? adjacentEntry(rows, rows.open, by) : rows.groups[0]?.entries[0]
      if (next) setPlace((before) => ({ ...before, open: next }))
    },
    moveOn: () => {
      const next = rows.open && (adjacentEntry(rows, rows.open, 1) ?? adjacentEntry(rows, rows.open, -1))
      setPlace((before) => ({ ...before, open: next }))
    },
    onAnswered: (entry) =>
      setPlace((before) => {
        const isOpen = typeof before.open === 'object' && entryKey(before.open) === entryKey(entry)
        const after = selectAfterAnswer(before, rows, entry, entries)
        return isOpen ? after : { ...after, open: before.open }
      }),
    wasAnswered: (entry) => here.answered.has(entryKey(entry)),
  }
}

/** Similar requests, oldest first. */
interface InboxGroup {
  group: string
  entries: InboxEntry[]
}

/** The inbox in display order: first in first out, with similar requests right after the first of them. */
function inboxGroups(entries: readonly InboxEntry[]): InboxGroup[] {
  const groups = new Map<string, InboxEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.group)
    if (group) group.push(entry)
    else groups.set(entry.group, [entry])
  }
  return [...groups].map(([group, list]) => ({ group, entries: list }))
}

/**
 * The first `count` rows, plus the open one wherever it is: hundreds are not rendered, and the rest moves up as
 * requests are answered.
 */
export function firstRows(
  groups: readonly InboxGroup[],
  limit: number,
  isOpen: (entry: InboxEntry) => boolean,
): InboxGroup[] {
  let left = limit
  const first: InboxGroup[] = []
  for (const { group, entries } of groups) {
    const shown = entries.filter((entry, index) => index < left || isOpen(entry))
    left -= Math.min(left, entries.length)
    if (shown.length > 0) first.push({ group, entries: shown })
  }
  return first
}

/** Maximum number of requests reviewed at once; the rest need another round. */
export const MAX_TOGETHER = 25

/** The requests of a group that can be answered together from here. */
export function answerable(entries: readonly InboxEntry[]): InboxEntry[] {
  return entries.filter(
    (entry) =>
      entry.elsewhere === undefined && entry.asks === undefined && !entry.dangerous && onceOption(entry) !== undefined,
  )
}

/** The option that allows only this one call. */
export function onceOption(entry: InboxEntry): string | undefined {
  return entry.options.find((option) => option.kind === 'allow_once')?.optionId
}
