import { oc, type } from '@orpc/contract'
import { z } from 'zod'

const sessionId = z.string().min(1).max(100)
const path = z.string().min(1).max(4000)

/** A file or folder of a session's project. */
export interface FoundFile {
  /** For display: relative to the project folder. */
  path: string
  isFolder: boolean
}

/** Lines of a file, to be looked at. */
export interface FilePage {
  /** For display. */
  path: string
  absolutePath: string
  /** Number of the first of the lines, from 1. */
  from: number
  lines: string[]
  /** Of the whole file; absent when it is too large to count. */
  totalLines?: number
  /** Why there are no lines to show, a sentence: it is no text, or gone. */
  problem?: string
}

/** What this host can open files with, on the user's own machine. */
export interface FileOpeners {
  /** Name of the editor. */
  editor?: string
  /** It can show a file in its folder. */
  reveals: boolean
}

export const fileContract = {
  /** Which of these paths are files or folders of the session's project or its added folders; `null` for any other. */
  find: oc.input(z.strictObject({ sessionId, paths: z.array(path).max(100) })).output(type<(FoundFile | null)[]>()),
  /** Up to 1,000 lines of a file of the project, from a line on. */
  read: oc.input(z.strictObject({ sessionId, path, from: z.int().min(1).default(1) })).output(type<FilePage>()),
  /** What this host can open files with. */
  openers: oc.output(type<FileOpeners>()),
  /** Opens a file of the project in the user's editor, or shows it in its folder; false when this host cannot. */
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
  /** Subfolders of a folder; `~` and relative paths start at the home folder. */
  list: oc.input(z.strictObject({ path: z.string().default('~') })).output(type<FolderListing>()),
  /** Files and folders of the session's project whose path fits what was typed after `@`, best first. */
  complete: oc
    .input(
      z.strictObject({ sessionId: z.string(), query: z.string().max(500), limit: z.int().min(1).max(100).default(20) }),
    )
    .output(type<{ path: string; isFolder: boolean }[]>()),
  /** Makes a small project in a temporary folder, for the demo model. */
  scratch: oc.output(type<{ path: string }>()),
}
