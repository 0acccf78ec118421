import type { Usage, UserPart } from './message'
import type { ServerToolsCost } from './tools-view'

/** Why a conversation was compacted: the window was nearly full, the provider refused a request as too long, or the user wanted it. */
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
 * What a trim has left out of the conversation, by the ids of calls: of `results` all content, of `calls` the long texts in their arguments, and of `cuts` all
 * of the result but its first `chars` characters. It stays in the log and on screen.
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

export const CONTEXT_KINDS = ['system', 'tools', 'files', 'results', 'conversation'] as const
/** What takes room: instructions, tool descriptions, files that were read, other results, and what was said. */
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
