import type { CompactionMark } from '../turn/context'
import type { Usage } from '../turn/message'
import type { PlanState, Todo } from '../turn/plan'

/** What exists at a path. `mode`: permission bits. */
export type FileState =
  | { kind: 'absent' }
  | { kind: 'file'; /** SHA-256 of the content. */ hash: string; size: number; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'folder'; mode: number }
  /** Something whose content is not stored; `mark` distinguishes its versions. */
  | { kind: 'unkept'; why: string; mark: string }

/** One path that a call or a restore has changed. */
export interface FileChange {
  /** Absolute; none of its parent folders is a symlink. */
  path: string
  before: FileState
  after: FileState
}

/** The changes of one call; a long list is stored with the contents, under its hash. */
export interface ChangeList {
  changes: FileChange[]
  listHash?: string
  count: number
}

/** Why a restore leaves a path unchanged. */
export interface KeptFile {
  path: string
  /**
   * `changed`: by another program since, so it is overwritten only when requested by name; `impossible`: it cannot
   * be restored.
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
  /** Restores the state right after this event. */
  to: number
  steps: RestoreStep[]
  kept: KeptFile[]
  /** What checkpoints did not cover, as sentences. */
  notCovered: string[]
  /** How many messages of the user are removed from the conversation; undefined: it stays unchanged. */
  messagesTaken?: number
}

export interface RestoreResult extends RestorePreview {
  /** `seq` of the event that records it; a restore to right before it undoes it. Undefined: there was nothing to do. */
  seq?: number
}

/** The conversation continues from its state right after the event `to`, with these values in the header. */
export interface ConversationCut {
  to: number
  todos: Todo[]
  context?: Usage
  compacted?: CompactionMark
  /** Of the `prefix.frozen` that requests started with. */
  prefixSeq?: number
  plan?: PlanState
}

/** A message from the agent to an earlier checkpoint of its turn. */
export interface DMail {
  checkpoint: number
  message: string
  /** Steps that were removed from the conversation, including the one that sent it. */
  steps: number
  /** The first removed calls, as text for people. */
  calls: string[]
}

/** A message that a session can be restored to. */
export interface RestorePoint {
  /** From 1. */
  n: number
  seq: number
  at: number
  text: string
}

/** A file that the session has changed, compared with its current state. */
export interface SessionFile {
  path: string
  before: FileState
  now: FileState
  /** `changed`: another program has changed it too. */
  standing: 'ours' | 'changed'
}

/** A difference between a file before the session and now. */
export interface FileHunk {
  /** Identifies the hunk as long as neither side changes. */
  id: string
  /** Its first line in the current text, from 1. */
  line: number
  /** With `+`, `-` or a space in front. */
  lines: string[]
}

/** The differences of one file. Without `hunks`, they cannot be shown as text; `note` says why. */
export interface FileHunks {
  path: string
  hunks?: FileHunk[]
  note?: string
}

/** A place where the conversation went back: everything between `to` and `seq` is removed, `seq` itself is not. */
export interface Cut {
  seq: number
  to: number
}

/** Ranges of the log, first and last `seq`, that make up the conversation; newest first. `end`: its last `seq`. */
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
