import type { KeptFile } from './checkpoint'

/** What a review compares; also the scope of a review pane. */
export type ReviewedScope = { kind: 'session' } | { kind: 'turn'; turnId: string } | { kind: 'branch'; base: string }

/** A file that a review shows. */
export interface ReviewFile {
  /** Absolute. */
  path: string
  /** Relative to the project if it is inside it. */
  name: string
  status: 'added' | 'deleted' | 'changed' | 'renamed'
  /** Its earlier name, relative like `name`; set when it was renamed. */
  from?: string
  /** Identifies the two compared versions: differs as soon as one of them changes. */
  key: string
  /** Another program has changed it too. */
  changedElsewhere?: true
  /** The file was changed again after the reviewed turn. */
  changedLater?: true
}

export interface ReviewList {
  files: ReviewFile[]
  /** The base of a branch comparison: the common ancestor. */
  base?: { name: string; commit: string }
  /** What is omitted, as a sentence. */
  note?: string
}

/** A run of lines that differs. */
export interface ReviewChange {
  /** Identifies the change in its file as long as the file's `key` stays the same. */
  id: string
  /** Index of its first line in the lines of its hunk. */
  at: number
  /** How many lines of the hunk it has. */
  count: number
}

/** Adjacent changes, with 3 lines of context. */
export interface ReviewHunk {
  /** First line on the old side, from 1. */
  old: number
  /** First line on the new side, from 1. */
  new: number
  /** With `+`, `-` or a space in front; `\` in front of a note about the previous line. */
  lines: string[]
  changes: ReviewChange[]
}

/** Where a part of a notebook's cell starts. */
export interface NotebookPart {
  /** On the new side, from 1. */
  line: number
  /** The position of the cell in the notebook, from 1. */
  cell: number
  kind: 'code' | 'markdown' | 'raw'
  /** From here on, the lines are outputs of the cell. */
  isOutput?: true
}

/** The differences of one file. Without hunks, `note` says why. */
export interface ReviewDiff {
  path: string
  key: string
  added: number
  removed: number
  hunks: ReviewHunk[]
  /** Lines of each side in all. */
  oldLines: number
  newLines: number
  /** What the lines do not show: binary content, permissions, line endings, encodings. */
  notes: string[]
  /** The file is a notebook before and after, so it can be shown as cells: the parts of the new version, in order. */
  notebook?: NotebookPart[]
  /** The language of the notebook's code cells, such as `python`, if the notebook names it. */
  language?: string
  /** The file may contain secrets, so its lines were omitted: the kind of file, such as `private keys`. */
  secret?: string
}

export type ReviewSide = 'old' | 'new'

/** A comment of the user on lines of a file, not sent yet. */
export interface ReviewComment {
  id: string
  path: string
  /** Relative to the project. */
  name: string
  side: ReviewSide
  /** The current position of its lines, from 1; the last known one if they were removed. */
  line: number
  endLine: number
  /** The lines have been changed or removed. */
  gone?: true
  /** The first of the lines as they were when the comment was written. */
  quote: string
  text: string
}

/** The user's marks on a session's changes. */
export interface ReviewMarks {
  /** Versions of files that the user viewed: `ReviewFile.key`s by path. */
  viewed: Record<string, string[]>
  /** Ids of changes that the user kept, by path. */
  kept: Record<string, string[]>
  comments: ReviewComment[]
}

/** What an undo did. */
export interface ReviewUndo {
  /** `seq` of the event that records it: a restore to right before it undoes it. Absent: there was nothing to do. */
  seq?: number
  kept: KeptFile[]
}

/** The branches that the current one can be compared with. */
export interface ReviewBases {
  /** The branch that is checked out; absent: no branch. */
  current?: string
  /** Branches, the most likely first. */
  branches: string[]
  /** Why branches cannot be compared. */
  problem?: string
}
