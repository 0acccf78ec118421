import type { Usage, UserPart } from './message'

/**
 * Why a conversation was compacted: the window was nearly full, the provider rejected a request as too long, or the
 * user requested it.
 */
export type CompactionReason = 'window' | 'overflow' | 'manual'

/** The position of a compaction in the log. */
export interface CompactionMark {
  compactionId: string
  /** Of its `compaction.finished`. */
  seq: number
  /** Of the `prefix.frozen` that requests started with before; undoing the compaction restores it. */
  prefixSeq?: number
}

/** What a compaction replaced the conversation with. */
export interface CompactionResult {
  /** The user's own messages that stay, oldest first. */
  kept: UserPart[][]
  /** The text for the model after them: the summary and what is pinned. */
  note: string
  /** The model's summary alone. */
  summary: string
  /** Files that were read or changed; later compactions keep their names. */
  files: string[]
  dropped: CompactionDropped
  /** Estimated tokens of the conversation before and after, including everything sent with it. */
  before: number
  after: number
  usage?: Usage
  durationMs: number
  /** The compaction that this one builds on. */
  earlier?: CompactionMark
}

/**
 * What a trim omits from the conversation, by the ids of calls: all content of `results`, the long texts in the
 * arguments of `calls`, and everything but the first `chars` characters of the results in `cuts`. It stays in the log
 * and on screen.
 */
export interface ContextTrim {
  results: string[]
  calls: string[]
  cuts: { callId: string; chars: number }[]
}

/** Counts of what the model no longer sees. It stays in the log and on screen. */
export interface CompactionDropped {
  answers: number
  results: number
  /** Messages of the user that were omitted or shortened. */
  messages: number
}

export const CONTEXT_KINDS = ['system', 'tools', 'memory', 'files', 'results', 'conversation'] as const
/**
 * What uses the window: instructions, tool descriptions, remembered entries, files that were read, other results, and
 * messages.
 */
export type ContextKind = (typeof CONTEXT_KINDS)[number]

/** One thing that uses much of the window. */
export interface ContextItem {
  kind: ContextKind
  /** For people: `Read src/x.ts`. */
  label: string
  tokens: number
  /** The call whose result it is. */
  callId?: string
}

/** The parts of the next request. All but `window` is estimated. */
export interface ContextView {
  /**
   * The model's context window in tokens; smaller than configured if the provider rejected a request that would fit.
   */
  window: number
  /** Above this, old results are omitted, then the conversation is compacted. */
  limit: number
  used: number
  parts: Record<ContextKind, number>
  /** The largest first. */
  heaviest: ContextItem[]
  /** Whether there is anything to compact. */
  compactable: boolean
  /** The share of server tools; absent without server tools. */
  serverTools?: ServerToolsCost
}

/**
 * `active`: sent with every request. `deferred`: only listed by name, until tool search loads it. `off`: not offered at
 * all.
 */
export type ToolState = 'active' | 'deferred' | 'off'

/** A tool of a session, for display. */
export interface SessionTool {
  /** The name for the model. */
  name: string
  /** For a server's tool: the server's name, and the tool's name there. */
  server?: { name: string; tool: string }
  /** The start of the description for the model. */
  description: string
  state: ToolState
  /** Why it is off, as a sentence. */
  reason?: string
  /** Estimated tokens and bytes of its schema, in each request that has it. */
  tokens: number
  bytes: number
}

/** The share of server tools in each request. */
export interface ServerToolsCost {
  /** How many there are, and how many of them are sent in full. */
  tools: number
  sent: number
  /** Whether tool search is in use: the others are only listed. */
  isSearching: boolean
  /** Bytes of all schemas, which each request would contain without tool search. */
  bytesAll: number
  /** Bytes in each request now: the schemas of those sent, and with tool search its list and its own tool. */
  bytesSent: number
}

/** All tools of a session. */
export interface ToolsView {
  tools: SessionTool[]
  /** Absent if there are no server tools. */
  cost?: ServerToolsCost
}

/** A tool in the list of a request. `schema` is JSON Schema. */
export interface ListedTool {
  name: string
  description: string
  schema: Record<string, unknown>
}

/**
 * What the model was told about one part of its context. For a tool, the key is `tool:` and its name, and the text is a
 * digest.
 */
export interface AnnouncedFact {
  key: string
  text: string
  /** The text sent when it no longer applies; absent: nothing is sent. */
  removed?: string
  /** The text is a header, followed by one line per item. */
  isList?: true
  /** The model was told that this no longer applies. */
  gone?: true
}

/**
 * The start of every request of a session, as of the start of the conversation or its last compaction. It stays
 * identical, byte for byte: changes are reported in later messages.
 */
export interface RequestPrefix {
  system: string
  tools: ListedTool[]
  /** The parts of the system prompt that can change. */
  facts: AnnouncedFact[]
}

/** Maximum names in `contextChangeText`. */
const MAX_NAMES = 6

/** The display text of a message that tells the model about changes. */
export function contextChangeText(facts: readonly Pick<AnnouncedFact, 'key'>[]): string {
  const names = facts.map(({ key }) => nameOf(key))
  const more = names.length - MAX_NAMES
  const shown = more > 0 ? [...names.slice(0, MAX_NAMES), `${more} more`] : names
  return `The agent was notified of changes: ${shown.join(', ')}.`
}

function nameOf(key: string): string {
  const colon = key.indexOf(':')
  if (colon < 0) return key.replaceAll('-', ' ')
  return key.startsWith('tool:') ? `the tool ${key.slice(colon + 1)}` : key.slice(colon + 1)
}
