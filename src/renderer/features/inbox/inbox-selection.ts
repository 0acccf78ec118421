import { useState } from 'react'
import type { InboxEntry } from '../../../shared/model/approval'
import { entryKey } from '../../state/inbox-state'

/** What the page is looking at. Plain data; every step is pure. */
export interface InboxSelection {
  /** The request that is open. `undefined`: whatever comes first; `closed`: none, by the user's wish. */
  open: InboxEntry | 'closed' | undefined
  /** Answered from this page; the list may still have them for a moment. */
  answered: ReadonlySet<string>
}

export const NO_SELECTION: InboxSelection = { open: undefined, answered: new Set() }

/** The rows to show. The open one stays, `gone`, when it was settled elsewhere: nothing else takes its place under the cursor. */
interface InboxRows {
  groups: InboxGroup[]
  open: InboxEntry | undefined
  gone: boolean
}

/** What a new list means for where one looks: only when nothing was open does the first request open by itself. */
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

/** The request was answered here: the next one behind it that was not opens, or else the nearest before. */
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

/** The row before or behind. */
export function adjacentEntry({ groups }: InboxRows, entry: InboxEntry, step: 1 | -1): InboxEntry | undefined {
  const rows = groups.flatMap((group) => group.entries)
  const at = rows.findIndex((row) => entryKey(row) === entryKey(entry))
  return at === -1 ? undefined : rows[at + step]
}

interface InboxSteps extends InboxRows {
  show(entry: InboxEntry): void
  close(): void
  /** To the row before or behind the open one. */
  step(by: 1 | -1): void
  /** From the open one, which was settled elsewhere, to what is next. */
  moveOn(): void
  /** It was answered from this page. */
  onAnswered(entry: InboxEntry): void
  wasAnswered(entry: InboxEntry): boolean
}

/** Where the inbox looks, kept over every change of the list. */
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

/** Requests that are alike, oldest first. */
interface InboxGroup {
  group: string
  entries: InboxEntry[]
}

/** The inbox in the order it is shown: first in first out, those that are alike right behind the first of them. */
function inboxGroups(entries: readonly InboxEntry[]): InboxGroup[] {
  const groups = new Map<string, InboxEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.group)
    if (group) group.push(entry)
    else groups.set(entry.group, [entry])
  }
  return [...groups].map(([group, list]) => ({ group, entries: list }))
}

/** The first so many rows, and the open one wherever it is: nobody reads hundreds, and the rest moves up as they are answered. */
export function firstRows(
  groups: readonly InboxGroup[],
  most: number,
  isOpen: (entry: InboxEntry) => boolean,
): InboxGroup[] {
  let left = most
  const first: InboxGroup[] = []
  for (const { group, entries } of groups) {
    const shown = entries.filter((entry, index) => index < left || isOpen(entry))
    left -= Math.min(left, entries.length)
    if (shown.length > 0) first.push({ group, entries: shown })
  }
  return first
}

/** More are not read at once: the rest is asked about again. */
export const MAX_TOGETHER = 25

/** Those of a group that can be answered from here, together. */
export function answerable(entries: readonly InboxEntry[]): InboxEntry[] {
  return entries.filter(
    (entry) =>
      entry.elsewhere === undefined && entry.asks === undefined && !entry.dangerous && onceOption(entry) !== undefined,
  )
}

/** The option that allows this one call and nothing else. */
export function onceOption(entry: InboxEntry): string | undefined {
  return entry.options.find((option) => option.kind === 'allow_once')?.optionId
}
