import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type {
  AttachedFile,
  EditableText,
  FileBytes,
  FileLines,
  FileSymbol,
  FileView,
  FilteredFiles,
  FolderEntries,
  SaveOutcome,
  TextMatches,
} from '../../model/project/file-view'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(4000)
const file = z.strictObject({ sessionId, path })
/** Maximum bytes in one response. */
const MAX_BYTES = 4 * 1024 * 1024

/** A file or folder of a session's project. */
export interface FoundFile {
  /** For display: relative to the project folder. */
  path: string
  isFolder: boolean
}

/** Lines of a file, for display. */
export interface FilePage {
  /** For display. */
  path: string
  absolutePath: string
  /** Number of the first line, from 1. */
  from: number
  lines: string[]
  /** Of the whole file; absent when it is too large to count. */
  totalLines?: number
  /** Why there are no lines to show, a sentence: it is not text, or was deleted. */
  problem?: string
}

/** An editor that was found on this machine. */
export interface FoundEditor {
  /** As in `[editor] command`. */
  command: string
  name: string
}

/** How this host can open files on the user's own machine. */
export interface FileOpeners {
  /** Name of the editor. */
  editor?: string
  /** The command that config.toml names; absent: the editor was chosen automatically. */
  chosen?: string
  /** Editors to choose from. */
  editors: FoundEditor[]
  /** It can show a file in its folder. */
  reveals: boolean
}

export const fileContract = {
  /** Which of these paths are files or folders of the session's project or its added folders; `null` for any other. */
  find: oc.input(z.strictObject({ sessionId, paths: z.array(path).max(100) })).output(type<(FoundFile | null)[]>()),
  /** Up to 1,000 lines of a file of the project, starting at a line. */
  read: oc.input(z.strictObject({ sessionId, path, from: z.int().min(1).default(1) })).output(type<FilePage>()),
  /** The kind of a file of the project, and the start of its text. */
  view: oc.input(file).output(type<FileView>()),
  /** The version of a file: a different text after every change. For a folder: its identity. */
  version: oc.input(file).output(type<{ version: string }>()),
  /** Lines of a text file, up to 2,000 per request. In a large file, waits until they are found. */
  lines: oc
    .input(file.extend({ from: z.int().min(1), count: z.int().min(1).max(2000).default(500) }))
    .output(type<FileLines>()),
  /** A part of a file's bytes. */
  bytes: oc
    .input(file.extend({ offset: z.int().min(0).default(0), length: z.int().min(1).max(MAX_BYTES).default(65_536) }))
    .output(type<FileBytes>()),
  /** The matches of a text in a file: the first 20,000, and how many there are. */
  search: oc
    .input(
      file.extend({
        text: z.string().max(1000),
        caseSensitive: z.boolean().default(false),
        wholeWords: z.boolean().default(false),
        regularExpression: z.boolean().default(false),
      }),
    )
    .output(type<TextMatches>()),
  /** Classes, functions, headings and other named places in a file. */
  outline: oc.input(file).output(type<FileSymbol[]>()),
  /** The entries of a folder of the project; without a path: of the project folder. */
  folder: oc
    .input(z.strictObject({ sessionId, path: path.or(z.literal('')).default('') }))
    .output(type<FolderEntries>()),
  /**
   * Files of the project whose path matches what was typed, best first; ignored files are excluded. `early`: while the
   * files are listed for the first time, returns matches from those found so far, and says so.
   */
  filter: oc
    .input(
      z.strictObject({
        sessionId,
        query: z.string().max(500),
        limit: z.int().min(1).max(1000).default(200),
        early: z.boolean().default(false),
      }),
    )
    .output(type<FilteredFiles>()),
  /** The whole text of a file, for editing. */
  text: oc.input(file).output(type<EditableText>()),
  /**
   * Writes an edited text. `mark` is the mark of the content it replaces, `absent` for a new file, or `any` to
   * overwrite whatever is there.
   */
  save: oc
    .input(file.extend({ text: z.string().max(8_000_000), mark: z.string().min(1).max(200) }))
    .output(type<SaveOutcome>()),
  /**
   * Renames a file or folder within its folder, never replacing another. `version`: as `version` returned it; fails if
   * it has changed since. `seq`: of the event that records it, for undo; a folder is renamed back.
   */
  rename: oc
    .input(file.extend({ name: z.string().min(1).max(255), version: z.string().max(200).optional() }))
    .output(type<{ path: string; seq: number }>()),
  /** Deletes a file; a restore to before the event `seq` restores it. */
  remove: oc.input(file).output(type<{ seq: number }>()),
  /** Stores a copy of a file from outside the project with the session, for its agent to read. `data`: base64. */
  attach: oc
    .input(z.strictObject({ sessionId, name: z.string().min(1).max(500), data: z.string().max(48_000_000) }))
    .output(type<AttachedFile>()),
  /** How this host can open files. */
  openers: oc.output(type<FileOpeners>()),
  /** Opens a file of the project in the user's editor, or reveals it in its folder; false when this host cannot. */
  open: oc
    .input(
      z.strictObject({
        sessionId,
        path,
        with: z.enum(['editor', 'folder']),
        line: z.int().min(1).optional(),
        column: z.int().min(1).optional(),
      }),
    )
    .output(type<boolean>()),
}

/** A folder's subfolders, for choosing one where no native dialog exists. `path` is real and absolute. */
export interface FolderListing {
  path: string
  parent?: string
  folders: { name: string; path: string }[]
}

export const folderContract = {
  /**
   * Subfolders of a folder; `~` and relative paths start at the home folder. `folder.missing`: there is no such folder;
   * `folder.unreadable`.
   */
  list: oc.input(z.strictObject({ path: z.string().default('~') })).output(type<FolderListing>()),
  /** Files and folders of the session's project whose path matches what was typed after `@`, best first. */
  complete: oc
    .input(
      z.strictObject({ sessionId: z.string(), query: z.string().max(500), limit: z.int().min(1).max(100).default(20) }),
    )
    .output(type<{ path: string; isFolder: boolean }[]>()),
  /** Creates a small project in a temporary folder, for the demo model. */
  scratch: oc.output(type<{ path: string }>()),
}
