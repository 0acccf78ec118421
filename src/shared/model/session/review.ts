import type { KeptFile } from './checkpoint'

/** What a review compares; the same as the scope of a review pane. */
export type ReviewedScope = { kind: 'session' } | { kind: 'turn'; turnId: string } | { kind: 'branch'; base: string }

/** A file that a review shows. */
export interface ReviewFile {
  /** Absolute. */
  path: string
  /** Relative to the project where it lies in it. */
  name: string
  status: 'added' | 'deleted' | 'changed' | 'renamed'
  /** Its earlier name, relative as `name`; set when it was renamed. */
  from?: string
  /** Names the two compared versions: differs as soon as one of them changes. */
  key: string
  /** Another program has changed it too. */
  changedElsewhere?: true
  /** The file has been changed again after the turn that is reviewed. */
  changedLater?: true
}

export interface ReviewList {
  files: ReviewFile[]
  /** What a branch is compared with: the commit both come from. */
  base?: { name: string; commit: string }
  /** What is left out, as a sentence. */
  note?: string
}

/** A run of lines that differs. */
export interface ReviewChange {
  /** Names the change in its file as long as the file's `key` stays. */
  id: string
  /** Index of its first line in the lines of its hunk. */
  at: number
  /** How many lines of the hunk it has. */
  count: number
}

/** Changes that stand close together, with 3 lines around them. */
export interface ReviewHunk {
  /** First line on the old side, from 1. */
  old: number
  /** First line on the new side, from 1. */
  new: number
  /** With `+`, `-` or a space in front; `\` in front of a remark on the line before. */
  lines: string[]
  changes: ReviewChange[]
}

/** The difference of one file. Without hunks, `note` says why. */
export interface ReviewDiff {
  path: string
  key: string
  added: number
  removed: number
  hunks: ReviewHunk[]
  /** Lines of each side in all. */
  oldLines: number
  newLines: number
  /** What the lines do not show: binary content, permissions, line ends, encodings. */
  notes: string[]
  /** The file may hold secrets, so its lines were left out: the kind of file, such as `private keys`. */
  secret?: string
}

export type ReviewSide = 'old' | 'new'

/** A comment of the user's on lines of a file, not sent yet. */
export interface ReviewComment {
  id: string
  path: string
  /** Relative to the project. */
  name: string
  side: ReviewSide
  /** Where its lines are now, from 1; where they were when they are gone. */
  line: number
  endLine: number
  /** The lines have been changed or removed. */
  gone?: true
  /** The lines as they were when the comment was written, the first ones. */
  quote: string
  text: string
}

/** What the user has noted about a session's changes. */
export interface ReviewMarks {
  /** Versions of files that were looked at: `ReviewFile.key`s by path. */
  viewed: Record<string, string[]>
  /** Changes that were accepted, by path: their ids. */
  kept: Record<string, string[]>
  comments: ReviewComment[]
}

/** What an undo did. */
export interface ReviewUndo {
  /**
   * `seq` of the event that records it: a restore to right before it takes it back. Absent: there was nothing to do.
   */
  seq?: number
  kept: KeptFile[]
}

/** What a branch can be compared with. */
export interface ReviewBases {
  /** The branch that is checked out; absent when none is. */
  current?: string
  /** Branches, the most likely first. */
  branches: string[]
  /** Why branches cannot be compared. */
  problem?: string
}
