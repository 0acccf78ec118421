import type { MemoryEntry } from './memory'

/** Where an entry applies, in a word: `everywhere`, or the last part of the project's path. */
export function memoryPlace({ folder }: Pick<MemoryEntry, 'folder'>): string {
  return folder === undefined ? 'everywhere' : (folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder)
}

/** Entries as a Markdown document: a heading for each project, and an item for each entry. */
export function memoryAsMarkdown(entries: readonly MemoryEntry[]): string {
  const places = new Map<string, MemoryEntry[]>()
  for (const entry of entries) {
    const place = entry.folder ?? 'Everywhere'
    places.set(place, [...(places.get(place) ?? []), entry])
  }
  const sections = [...places].map(([place, list]) => [`## ${place}`, '', ...list.map(item)].join('\n'))
  return `# Memory\n\n${sections.join('\n\n')}\n`
}

function item({ key, text, category }: MemoryEntry): string {
  const about = category === undefined ? '' : ` _(${category})_`
  return `- **${key}**${about}: ${text.replaceAll('\n', '\n  ')}`
}
