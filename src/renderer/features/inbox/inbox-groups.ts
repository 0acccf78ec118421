import type { InboxEntry } from '../../../shared/model/approval'

/** Requests that are alike, oldest first. */
export interface InboxGroup {
  group: string
  entries: InboxEntry[]
}

/** The inbox in the order it is shown: first in first out, those that are alike right behind the first of them. */
export function inboxGroups(entries: readonly InboxEntry[]): InboxGroup[] {
  const groups = new Map<string, InboxEntry[]>()
  for (const entry of entries) {
    const group = groups.get(entry.group)
    if (group) group.push(entry)
    else groups.set(entry.group, [entry])
  }
  return [...groups].map(([group, list]) => ({ group, entries: list }))
}

/** The first so many rows, and the open one wherever it is: nobody reads hundreds, and the rest moves up as they are answered. */
export function firstRows(groups: readonly InboxGroup[], most: number, isOpen: (entry: InboxEntry) => boolean): InboxGroup[] {
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
export const MOST_TOGETHER = 25

/** Those of a group that can be answered from here, together. */
export function answerable(entries: readonly InboxEntry[]): InboxEntry[] {
  return entries.filter(
    (entry) => entry.elsewhere === undefined && entry.asks === undefined && !entry.dangerous && onceOption(entry) !== undefined,
  )
}

/** The option that allows this one call and nothing else. */
export function onceOption(entry: InboxEntry): string | undefined {
  return entry.options.find((option) => option.kind === 'allow_once')?.optionId
}
