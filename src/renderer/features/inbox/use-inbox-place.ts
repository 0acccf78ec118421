import { useState } from 'react'
import type { InboxEntry } from '../../../shared/model/approval'
import { entryKey } from '../../state/inbox-state'
import { answered, look, neighbour, NOWHERE, rowsOf, type InboxRows } from './inbox-place'

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
export function useInboxPlace(entries: readonly InboxEntry[]): InboxSteps {
  const [place, setPlace] = useState(NOWHERE)
  const here = look(place, entries)
  if (here !== place) setPlace(here)
  const rows = rowsOf(here, entries)
  return {
    ...rows,
    show: (entry) => setPlace((before) => ({ ...before, open: entry })),
    close: () => setPlace((before) => ({ ...before, open: 'closed' })),
    step: (by) => {
      const next = rows.open ? neighbour(rows, rows.open, by) : rows.groups[0]?.entries[0]
      if (next) setPlace((before) => ({ ...before, open: next }))
    },
    moveOn: () => {
      const next = rows.open && (neighbour(rows, rows.open, 1) ?? neighbour(rows, rows.open, -1))
      setPlace((before) => ({ ...before, open: next }))
    },
    onAnswered: (entry) =>
      setPlace((before) => {
        const isOpen = typeof before.open === 'object' && entryKey(before.open) === entryKey(entry)
        const after = answered(before, rows, entry, entries)
        return isOpen ? after : { ...after, open: before.open }
      }),
    wasAnswered: (entry) => here.answered.has(entryKey(entry)),
  }
}
