import type { Command } from './commands'

/** As many rows as anybody reads; typing narrows the rest down. */
const MOST_PER_GROUP = 60
/** Without a search a group is a glance, not a list. */
const MOST_AT_FIRST = 12

export interface CommandGroup {
  name: string
  items: Command[]
  /** How many fit but are not shown. */
  more: number
}

/** The commands that contain every word typed, under their headings; those whose label begins with a word come first. */
export function grouped(commands: readonly Command[], search: string): CommandGroup[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, { command: Command; score: number }[]>()
  for (const command of commands) {
    const label = command.label.toLocaleLowerCase()
    const text = `${label} ${command.keywords ?? ''} ${command.hint ?? ''} ${command.group}`.toLocaleLowerCase()
    if ((words.length === 0 && command.onlySearched) || !words.every((word) => text.includes(word))) continue
    const score =
      words.filter((word) => label.startsWith(word) || label.includes(` ${word}`)).length * 2 +
      words.filter((word) => label.includes(word)).length
    const group = groups.get(command.group)
    if (group) group.push({ command, score })
    else groups.set(command.group, [{ command, score }])
  }
  const most = words.length === 0 ? MOST_AT_FIRST : MOST_PER_GROUP
  return [...groups].map(([name, found]) => {
    // The sort is stable: without words everything keeps its place.
    const items = found.sort((a, b) => b.score - a.score).map(({ command }) => command)
    return { name, items: items.slice(0, most), more: Math.max(0, items.length - most) }
  })
}
