/** Limits of memory; larger values are rejected with an error that names the limit. */
export const MEMORY_LIMITS = { keyChars: 100, textChars: 2000, categoryChars: 50, entries: 20_000 } as const

/** `project`: only in sessions of its folder; `everywhere`: in all. */
export const MEMORY_SCOPES = ['project', 'everywhere'] as const
export type MemoryScope = (typeof MEMORY_SCOPES)[number]

/** The display text of a message that sends remembered entries to the agent: the keys of the entries. */
export function recallSummary(text: string): string {
  const keys = text.split('\n').flatMap((line) => /^- (.*?): /.exec(line)?.[1] ?? [])
  return `Recalled from memory: ${keys.join(', ')}`
}

/** Who wrote an entry, or a version of it: an agent with a tool, the user in the app or a terminal, or an import. */
export type MemoryAuthor = 'agent' | 'user' | 'import'

/** The content of an entry, and where it applies. */
export interface MemoryContent {
  key: string
  text: string
  /** Absent: not learned under a category. */
  category?: string
  /** Real path of the project it belongs to; absent: everywhere. */
  folder?: string
}

/** A remembered entry. Times are ms since the epoch. */
export interface MemoryEntry extends MemoryContent {
  id: number
  author: MemoryAuthor
  createdAt: number
  updatedAt: number
  /** How often it was reinforced. */
  uses: number
  /** In how many turns it was sent because it matched words of the prompt. */
  shown: number
  /** When it was last reinforced, found by a search of the agent, or sent because of a prompt; absent: never. */
  usedAt?: number
  /** Set when it was deleted; it can then be restored for 30 days. */
  deletedAt?: number
  /** The session that wrote it last, and the `seq` in its log. */
  sessionId?: string
  seq?: number
}

export type MemoryChange = 'created' | 'changed' | 'deleted' | 'restored'

/** One change of an entry, with its content after the change (for a deletion, before it). */
export interface MemoryVersion extends MemoryContent {
  id: number
  at: number
  change: MemoryChange
  author: MemoryAuthor
  sessionId?: string
}

/** The session and message that an entry came from. */
export interface MemorySource {
  sessionId: string
  /** Absent: the session was deleted. */
  title?: string
  /** The start of the user's message, and its position in the log. */
  message?: string
  seq?: number
}

/** An entry with its history and source. */
export interface MemoryDetails {
  entry: MemoryEntry
  /** Newest first. */
  versions: MemoryVersion[]
  source?: MemorySource
}

/** A page of a list or search. */
export interface MemoryPage {
  entries: MemoryEntry[]
  /** In all pages. */
  total: number
}

/** Figures about memory. */
export interface MemoryOverview {
  entries: number
  deleted: number
  everywhere: number
  /** Projects and categories with their number of entries, the largest first. */
  projects: { folder: string; entries: number }[]
  categories: { category: string; entries: number }[]
  /** Maximum bytes of it in the prompt. */
  budgetBytes: number
}

export const MEMORY_ORDERS = ['recent', 'used', 'key'] as const
export type MemoryOrder = (typeof MEMORY_ORDERS)[number]

/** Which entries a list contains. */
export interface MemoryFilter {
  query?: string
  /** `everywhere`, or the real path of a project; absent: all. */
  scope?: string
  category?: string
  /** The deleted entries instead of the others. */
  deleted?: boolean
  order?: MemoryOrder
}

/** Where an entry applies, as a short label: `everywhere`, or the last part of the project's path. */
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
