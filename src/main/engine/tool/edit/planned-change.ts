import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileDiff } from '../../../../shared/model/approval/preview'
import { LARGE_FILE_BYTES } from '../../workspace/file/open-file'
import { FileProblem } from '../../workspace/path/file-problem'
import { decodeText, lineEndings, type TextFormat } from '../../workspace/file/text-file'
import { loadCurrentFile, type CurrentFile } from '../../workspace/file/editor-files'
import type { ResolvedPath, Workspace } from '../../workspace/workspace'
import { nothingHidden } from '../tool'
import { unifiedDiff } from '../../workspace/unified-diff'

/** A text file as it is before a change. */
export interface CurrentText {
  text: string
  format: TextFormat
  /** Bytes on disk. */
  size: number
}

/** The text to write to a file. */
export interface NewText {
  text: string
  format: TextFormat
  /** Permissions for a new file. */
  mode?: number
}

/** One file before and after a change. Nothing has been written yet. */
export interface PlannedChange {
  path: ResolvedPath
  /** The file's name in messages. */
  shown: string
  /** Undefined: the file does not exist. */
  current: CurrentFile | undefined
  /** Its text; undefined when the file does not exist or its text was not needed. */
  before: CurrentText | undefined
  /** Undefined: the file is removed. */
  after: NewText | undefined
  /** The new text before hooks changed it. */
  meant: string
  /** Folders that have to be created, outermost first. */
  newFolders: readonly string[]
  /** The agent knows all of the new content, so it counts as read. */
  isKnown: boolean
  /** The file counts as read, but the agent has seen only a part of it. */
  isPartial?: boolean
  /** Where the file was before it was moved here. */
  movedFrom?: { path: string; shown: string; text: string } | undefined
}

/**
 * The current file. Throws a `FileProblem` when the path that the model wrote refers to a different file than when it
 * was judged, or to a folder.
 */
export async function loadCurrent(
  workspace: Workspace,
  written: string,
  path: ResolvedPath,
): Promise<{ shown: string; current: CurrentFile | undefined }> {
  const shown = workspace.display(path.realPath)
  const now = await workspace.resolve(written)
  if (now.realPath !== path.realPath)
    throw new FileProblem(
      `${written} now leads to ${workspace.display(now.realPath)}, not to ${shown}. Call again if that is intended.`,
    )
  if (/[\\/]$/.test(written)) throw new FileProblem(`${written} is a folder. Give the path of a file.`)
  return { shown, current: await loadCurrentFile(workspace.editor, path.realPath, shown) }
}

/**
 * The text of a file; undefined when it is too large and `needed` is not set. Throws `FileProblem` when it is not text.
 */
export function textOfFile(current: CurrentFile, shown: string, needed: boolean): CurrentText | undefined {
  if (!current.bytes) {
    if (!needed) return undefined
    throw new FileProblem(
      `${shown} is too large to edit as text (${mebibytes(current.size)}, ` +
        `at most ${mebibytes(LARGE_FILE_BYTES)}). Use a command with Bash.`,
    )
  }
  const decoded = decodeText(current.bytes)
  if ('text' in decoded) return { ...decoded, size: current.size }
  throw new FileProblem(`${shown} is not text this tool could change: ${decoded.notText.reason}. Nothing was written.`)
}

/**
 * Whether the agent has read the current version of the file. Throws a `FileProblem` when it has read another version,
 * or, with `mustBeRead`, when it has not read the file.
 */
export function isRead(
  workspace: Workspace,
  realPath: string,
  shown: string,
  current: CurrentFile,
  mustBeRead: boolean,
): boolean {
  const seen = workspace.reads.lastRead(realPath)
  if (seen === undefined) {
    if (mustBeRead)
      throw new FileProblem(`${shown} exists but has not been read in this session. Read it first, then call again.`)
    return false
  }
  if (seen === current.mark) return true
  throw new FileProblem(
    `${shown} was changed ${current.unsaved ? 'in the editor' : 'on disk'} since it was last read. ` +
      'Read it again, then call again with what it says now.',
    'changed',
  )
}

/** Throws a `FileProblem` when the agent knows only a part of a file that it is about to replace entirely. */
export function requireAllRead(workspace: Workspace, realPath: string, shown: string): void {
  if (workspace.reads.hasSeenAll(realPath)) return
  throw new FileProblem(
    `Only a part of ${shown} has been read, and its whole content would be replaced. ` +
      'Read the rest of it first (line_offset; char_offset in lines that were cut), change only the part you ' +
      'know with Edit, or delete the file first with Bash if its content does not matter. Nothing was written.',
  )
}

/**
 * Whether the agent could read the file without asking: only then can it be changed unread, and its lines be quoted in
 * an error.
 */
export async function isReadableWithoutApproval(
  { path, realPath, inside }: ResolvedPath,
  hidden = nothingHidden,
): Promise<boolean> {
  if (!inside) return false
  const isHidden = await hidden()
  return !isHidden(path) && !isHidden(realPath)
}

/** The folders that would have to be created, outermost first. */
export async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const there = await stat(at).catch(() => undefined)
    if (there) break
    missing.unshift(at)
  }
  return missing
}

/** The diff of a change for an approval card. */
export async function diffOfChange(workspace: Workspace, change: PlannedChange): Promise<FileDiff> {
  const { path, shown, current, before, after, meant, newFolders, movedFrom } = change
  const isUnknown = current !== undefined && before === undefined
  const { note, ...diff } = isUnknown
    ? { diff: '', added: 0, removed: 0, note: 'The old content is too large to compare, or not text.' }
    : await unifiedDiff(shown, movedFrom?.text ?? before?.text, after?.text, movedFrom?.shown)
  const notes = [
    after === undefined && 'Deletes the file.',
    movedFrom && `Moves ${movedFrom.shown} here.`,
    foldersNote(workspace, newFolders, 'Makes'),
    endingsNote(movedFrom?.text ?? before?.text, after?.text),
    linksNote(change),
    after !== undefined && meant !== after.text && 'A hook changed what is written.',
    note,
  ]
  const all = notes.filter((text) => typeof text === 'string').join(' ')
  return {
    path: path.realPath,
    ...diff,
    ...(all !== '' && { note: all }),
    ...(movedFrom && { from: movedFrom.path }),
    ...(after === undefined && { deleted: true }),
  }
}

/** `Made the folder src/new.` */
export function foldersNote(
  workspace: Workspace,
  folders: readonly string[],
  verb: 'Makes' | 'Made',
): string | undefined {
  if (folders.length === 0) return undefined
  return `${verb} the folder${folders.length > 1 ? 's' : ''} ${folders.map(workspace.display).join(', ')}.`
}

/** A file with hard links is changed under all of its names. */
export function linksNote({
  shown,
  current,
  after,
}: Pick<PlannedChange, 'shown' | 'current' | 'after'>): string | undefined {
  if (!after || !current || current.links < 2) return undefined
  const others = current.links - 1
  return (
    `${shown} has ${others} other ${others === 1 ? 'name' : 'names'} on this disk (hard links): ` +
    'the change shows there, too.'
  )
}

const ENDING_NAMES = { none: 'no line ends', lf: 'LF', crlf: 'CRLF', mixed: 'mixed' }

export function endingsNote(before: string | undefined, after: string | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined
  const [from, to] = [lineEndings(before), lineEndings(after)]
  return from === to || from === 'none' || to === 'none'
    ? undefined
    : `Line endings change from ${ENDING_NAMES[from]} to ${ENDING_NAMES[to]}.`
}

const MAX_NOTE_CHARS = 4_000

/** What hooks changed in the text: the model has to know what the file contains now. */
export async function hookNote({ shown, meant, after }: PlannedChange): Promise<string | undefined> {
  if (!after || meant === after.text) return undefined
  const { diff } = await unifiedDiff(shown, meant, after.text)
  return diff.length > MAX_NOTE_CHARS
    ? 'A hook changed what was written: read the file before you change it again.'
    : `A hook changed what was written:\n${diff}`
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MiB`
}
