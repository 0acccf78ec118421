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

/** Those of a group that can be answered from here, together. */
export function answerable(entries: readonly InboxEntry[]): InboxEntry[] {
  return entries.filter((entry) => entry.elsewhere === undefined && onceOption(entry) !== undefined)
}

/** The option that allows this one call and nothing else. */
export function onceOption(entry: InboxEntry): string | undefined {
  return entry.options.find((option) => option.kind === 'allow_once')?.optionId
}
