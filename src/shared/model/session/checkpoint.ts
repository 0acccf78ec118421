import type { CompactionMark } from '../turn/context'
import type { Usage } from '../turn/message'
import type { PlanState, Todo } from '../turn/plan'

/** What lies at a path. `mode`: permission bits. */
export type FileState =
  | { kind: 'absent' }
  | { kind: 'file'; /** SHA-256 of the content. */ hash: string; size: number; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'folder'; mode: number }
  /** Something whose content is not kept; `mark` tells its versions apart. */
  | { kind: 'unkept'; why: string; mark: string }

/** One path that a call or a restore has changed. */
export interface FileChange {
  /** Absolute, without symlinks on the way. */
  path: string
  before: FileState
  after: FileState
}

/** The changes of one call; a long list lies in the store of contents, under its hash. */
export interface ChangeList {
  changes: FileChange[]
  listHash?: string
  count: number
}

/** Why a restore leaves a path alone. */
export interface KeptFile {
  path: string
  /**
   * `changed`: by another program since, so it is overwritten only when requested by name; `impossible`: not at all.
   */
  kind: 'changed' | 'impossible'
  why: string
}

/** What a restore would do to one path. */
export interface RestoreStep {
  path: string
  action: 'create' | 'change' | 'delete'
  isFolder: boolean
  from: FileState
  to: FileState
}

/** What a restore does, or would do. */
export interface RestorePreview {
  /** Things become as they were right after this event. */
  to: number
  steps: RestoreStep[]
  kept: KeptFile[]
  /** Sentences on what checkpoints did not cover. */
  notCovered: string[]
  /** How many messages of the user leave the conversation; undefined: it stays. */
  messagesTaken?: number
}

export interface RestoreResult extends RestorePreview {
  /**
   * `seq` of the event that records it; a restore to right before it takes it back. Undefined: there was nothing to do.
   */
  seq?: number
}

/** The conversation continues from where it was right after the event `to`; what the header had then. */
export interface ConversationCut {
  to: number
  todos: Todo[]
  context?: Usage
  compacted?: CompactionMark
  /** Of the `prefix.frozen` that requests began with. */
  prefixSeq?: number
  plan?: PlanState
}

/** What the agent has sent to an earlier checkpoint of its turn. */
export interface DMail {
  checkpoint: number
  message: string
  /** Steps that left the conversation, the one that sent it included. */
  steps: number
  /** The calls that left with them, as people read them, the first ones. */
  calls: string[]
}

/** A message that a session can go back to. */
export interface RestorePoint {
  /** From 1. */
  n: number
  seq: number
  at: number
  text: string
}

/** A file that the session has changed, beside what it is now. */
export interface SessionFile {
  path: string
  before: FileState
  now: FileState
  /** `changed`: another program has changed it too. */
  standing: 'ours' | 'changed'
}

/** A piece of the difference between what a file was before the session and what it is now. */
export interface FileHunk {
  /** Names the hunk as long as neither side changes. */
  id: string
  /** Line of the present text it begins at, from 1. */
  line: number
  /** With `+`, `-` or a space in front. */
  lines: string[]
}

/** The difference of one file. Without `hunks` it cannot be shown as text; `note` says why. */
export interface FileHunks {
  path: string
  hunks?: FileHunk[]
  note?: string
}

/** Where a conversation went back: all between `to` and `seq` is left out, `seq` itself is not. */
export interface Cut {
  seq: number
  to: number
}

/**
 * Stretches of the log, first and last `seq`, that the conversation is made of; newest first. `end`: its last `seq`.
 */
export function visibleRanges(cuts: readonly Cut[], end: number): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = []
  let to = end
  for (const cut of cuts.toReversed()) {
    if (cut.seq > to) continue
    stretches.push({ from: cut.seq, to })
    to = cut.to
  }
  if (to > 0) stretches.push({ from: 1, to })
  return stretches
}
