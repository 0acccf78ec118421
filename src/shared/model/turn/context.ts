import type { Usage, UserPart } from './message'

/**
 * Why a conversation was compacted: the window was nearly full, the provider refused a request as too long, or the user
 * wanted it.
 */
export type CompactionReason = 'window' | 'overflow' | 'manual'

/** Where a compaction is in the log. */
export interface CompactionMark {
  compactionId: string
  /** Of its `compaction.finished`. */
  seq: number
  /** Of the `prefix.frozen` that requests began with before; they do again when it is undone. */
  prefixSeq?: number
}

/** What a compaction has made of the conversation before it. */
export interface CompactionResult {
  /** The user's own messages that stay, oldest first. */
  kept: UserPart[][]
  /** What the model reads after them: the summary and what is pinned. */
  note: string
  /** The model's summary alone. */
  summary: string
  /** Files that were read or changed; later compactions carry their names on. */
  files: string[]
  dropped: CompactionDropped
  /** Estimated tokens of the conversation before and after, with all that is sent along. */
  before: number
  after: number
  usage?: Usage
  durationMs: number
  /** The compaction that this one builds on. */
  earlier?: CompactionMark
}

/**
 * What a trim has left out of the conversation, by the ids of calls: of `results` all content, of `calls` the long
 * texts in their arguments, and of `cuts` all of the result but its first `chars` characters. It stays in the log and
 * on screen.
 */
export interface ContextTrim {
  results: string[]
  calls: string[]
  cuts: { callId: string; chars: number }[]
}

/** What the model does not see any more, counted. It stays in the log and on screen. */
export interface CompactionDropped {
  answers: number
  results: number
  /** Messages of the user that were left out or shortened. */
  messages: number
}

export const CONTEXT_KINDS = ['system', 'tools', 'memory', 'files', 'results', 'conversation'] as const
/**
 * What uses the window: instructions, tool descriptions, remembered entries, files that were read, other results, and
 * messages.
 */
export type ContextKind = (typeof CONTEXT_KINDS)[number]

/** One thing that takes much room. */
export interface ContextItem {
  kind: ContextKind
  /** For people: `Read src/x.ts`. */
  label: string
  tokens: number
  /** Of the call whose result it is. */
  callId?: string
}

/** What the next request would be made of. All but `window` is estimated. */
export interface ContextView {
  /** Tokens the model takes; less than configured when the provider has refused less. */
  window: number
  /** From here on old results are left out, then the conversation is compacted. */
  limit: number
  used: number
  parts: Record<ContextKind, number>
  /** The largest first. */
  heaviest: ContextItem[]
  /** Whether there is anything to compact. */
  compactable: boolean
  /** What tools of servers take of it; absent without any. */
  serverTools?: ServerToolsCost
}

/**
 * `active`: sent with every request. `deferred`: only named in a list, until tool search loads it. `off`: not offered
 * at all.
 */
export type ToolState = 'active' | 'deferred' | 'off'

/** A tool of a session, for display. */
export interface SessionTool {
  /** As the model calls it. */
  name: string
  /** Of a server: its name, and the tool's there. */
  server?: { name: string; tool: string }
  /** The beginning of the description that the model gets. */
  description: string
  state: ToolState
  /** Why it is off, as a sentence. */
  reason?: string
  /** Estimated tokens and bytes of its schema, in each request that has it. */
  tokens: number
  bytes: number
}

/** What the tools of servers take of each request. */
export interface ServerToolsCost {
  /** How many there are, and how many of them are sent in full. */
  tools: number
  sent: number
  /** Whether tool search is in use: the others are only listed. */
  isSearching: boolean
  /** Bytes of all schemas, which each request would carry without tool search. */
  bytesAll: number
  /** Bytes that each request carries now: the schemas of those sent, and with tool search the list and its own tool. */
  bytesSent: number
}

/** All tools of a session. */
export interface ToolsView {
  tools: SessionTool[]
  /** Absent without tools of servers. */
  cost?: ServerToolsCost
}

/** A tool as every request lists it. `schema` is JSON Schema. */
export interface ListedTool {
  name: string
  description: string
  schema: Record<string, unknown>
}

/**
 * What the model was told about one part of its context. For a tool the key is `tool:` and its name, with a digest
 * as its text.
 */
export interface AnnouncedFact {
  key: string
  text: string
  /** The text sent when it no longer applies; absent: nothing is sent. */
  removed?: string
  /** The text is a head and a line for each of several things. */
  isList?: true
  /** The model was told that this no longer applies. */
  gone?: true
}

/**
 * What every request of a session begins with, as it was when the conversation began or was last compacted. It stays
 * identical, byte for byte: changes are reported in later messages.
 */
export interface RequestPrefix {
  system: string
  tools: ListedTool[]
  /** What of the system prompt can change. */
  facts: AnnouncedFact[]
}

/** Most names in `toldWords`. */
const MAX_NAMES = 6

/** The display text of a message that tells the model about changes. */
export function contextChangeText(facts: readonly Pick<AnnouncedFact, 'key'>[]): string {
  const names = facts.map(({ key }) => nameOf(key))
  const more = names.length - MAX_NAMES
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), `${more} more`] : names
  return `The agent was told what has changed: ${shown.join(', ')}.`
}

function nameOf(key: string): string {
  const colon = key.indexOf(':')
  if (colon < 0) return key.replaceAll('-', ' ')
  return key.startsWith('tool:') ? `the tool ${key.slice(colon + 1)}` : key.slice(colon + 1)
}
