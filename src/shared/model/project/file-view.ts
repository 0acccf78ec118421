/** What kind of content a file has, as the viewer shows it. */
export type FileContent = 'text' | 'image' | 'pdf' | 'binary'

/** The data for opening a file in the viewer. */
export interface FileView {
  /** For display: relative to the project folder. */
  path: string
  absolutePath: string
  size: number
  /** When it was last changed, in ms. */
  modified: number
  /** Changes whenever the file does. */
  version: string
  content: FileContent
  /** IANA media type of images and PDFs. */
  mediaType?: string
  /** For text that isn't plain UTF-8, e.g. `UTF-16 LE`; for a binary file, its likely type. */
  note?: string
  text?: FileTextView
}

/** The text of a file, as far as it is known when the file is opened. */
export interface FileTextView {
  /** The first lines; all of them when `isWhole`. */
  lines: string[]
  /** Positions in `lines` of those that are longer than shown. */
  cut?: number[]
  isWhole: boolean
  /** For the whole file; an estimate while `isCounted` is false. */
  totalLines: number
  isCounted: boolean
  /** Why it cannot be edited here, a sentence; absent: it can. */
  notEditable?: string
}

/** Some lines of a file. */
export interface FileLines {
  version: string
  /** Number of the first line, from 1. */
  from: number
  lines: string[]
  cut?: number[]
  totalLines: number
  isCounted: boolean
}

/** What to find in a file. */
export interface TextQuery {
  text: string
  caseSensitive: boolean
  wholeWords: boolean
  regularExpression: boolean
}

/** The position of a match. */
export interface TextMatch {
  /** From 1. */
  line: number
  /** Offset in the line, and length, in bytes of UTF-8. */
  at: number
  bytes: number
}

export interface TextMatches {
  /** The first matches, in order. */
  matches: TextMatch[]
  /** All matches in the file. */
  count: number
  /** Why the text cannot be searched, or only partly; a sentence. */
  problem?: string
}

/** A named definition or heading in a file. */
export interface FileSymbol {
  name: string
  kind: 'class' | 'function' | 'method' | 'type' | 'value' | 'section'
  /** From 1. */
  line: number
  /** How deeply it is nested in other symbols, from 0. */
  depth: number
}

/** A part of a file's bytes, in base64. */
export interface FileBytes {
  version: string
  offset: number
  data: string
}

/** A whole text, for editing. */
export interface EditableText {
  text: string
  /** Identifies this content; a save sends it back. */
  mark: string
  lineEndings: 'none' | 'lf' | 'crlf' | 'mixed'
}

/**
 * The result of saving. `stale`: the file has changed since it was opened; nothing was written. `seq`: of the event
 * that records the change; `path`: absolute.
 */
export type SaveOutcome =
  | { saved: true; mark: string; seq: number; path: string }
  | { saved: false; stale: 'changed' | 'deleted' }

/** An entry of a folder in the file tree. */
export interface FolderEntry {
  name: string
  isFolder: boolean
  /** Excluded by .gitignore or .trestleignore. */
  isIgnored?: true
  isLink?: true
  /** Why it cannot be opened, a sentence. */
  closed?: string
}

export interface FolderEntries {
  /** Real and absolute. */
  path: string
  entries: FolderEntry[]
  /** How many more entries there are. */
  more?: number
}

/** Files whose path matches a filter, best first. */
export interface FilteredFiles {
  files: { path: string; /** Positions in `path` that match what was typed. */ at: number[] }[]
  /** All that match. */
  count: number
  /** The files are still being listed: these are matches among those found so far. */
  partial?: true
}

/** A file that was attached to a message. */
export interface AttachedFile {
  name: string
  /** Absolute; what the agent reads. */
  path: string
  size: number
  /** Its text, if it is short enough to send with the message. */
  text?: string
  /** Its kind, e.g. `text`, `ZIP archive`. */
  kind: string
}
