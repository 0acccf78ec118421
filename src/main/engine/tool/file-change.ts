import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Preview } from '../../../shared/model/preview'
import { LARGE_FILE_BYTES } from '../workspace/content-mark'
import { FileProblem } from '../workspace/file-problem'
import { decodeText, encodeText, lineEndings, type TextFormat } from '../workspace/text-file'
import { loadHeld, type HeldFile } from '../workspace/unsaved-text'
import { writeHeld } from '../workspace/write-held'
import type { ResolvedPath, Workspace } from '../workspace/workspace'
import { pathRefusal, shownPath } from './path-refusal'
import { rememberFolder } from './remember-folder'
import { failed, ok, type CallContext, type PreparedCall, type Refusal, type ToolResult } from './tool'
import { unifiedDiff } from './unified-diff'
import type { PlannedWrite, WriteHooks } from './write-hooks'

/** A text file as it is before a change. */
export interface CurrentText {
  text: string
  format: TextFormat
  /** Bytes on disk. */
  size: number
}

/** A file as it shall be, and what to tell the model when it is so. */
export interface ChangedText {
  text: string
  format: TextFormat
  /** Whole sentences, e.g. `Replaced 1 occurrence (line 3).` */
  said: string
}

/** What a tool makes of a file: pure, and `FileProblem` for what cannot be done. */
export interface FileChange {
  workspace: Workspace
  /** As the model wrote it. */
  path: string
  /** Whether a file that is not there is made, folders included. */
  mayCreate: boolean
  /** Whether the old text is needed; otherwise a file too large to load may still be replaced. */
  needsText: boolean
  change(current: CurrentText | undefined, shown: string): ChangedText
  /** What may look at the write, as things are at that moment. */
  hooks?: (() => WriteHooks | undefined) | undefined
}

/**
 * Prepares a change to one text file, the same way for every tool that makes one: sensitive files are refused, a file that exists must have been read in
 * the version on disk, that is checked at the moment of writing, and the write is atomic. Nothing is written unless all of it can be.
 */
export async function prepareFileChange(change: FileChange): Promise<PreparedCall | Refusal> {
  const { workspace } = change
  const path = await workspace.resolve(change.path)
  const refusal = pathRefusal(workspace, path)
  if (refusal) return refusal
  return {
    summary: shownPath(workspace, path),
    accesses: [{ kind: 'file', path: path.realPath, written: path.path, write: true }],
    rememberAs: rememberFolder(workspace, 'edit', dirname(path.realPath)),
    preview: () => preview(change, path),
    check: () => orFailure(async () => void (await evaluate(change, path, true))),
    run: async (ctx) => (await orFailure(() => apply(change, path, ctx))) ?? failed('Nothing was done.'),
  }
}

async function orFailure<T extends ToolResult | void>(work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileProblem) return failed(error.message)
    throw error
  }
}

interface Evaluated {
  current: HeldFile | undefined
  before: CurrentText | undefined
  after: ChangedText
  /** The text before hooks changed it. */
  meant: string
  newFolders: string[]
}

async function evaluate(change: FileChange, path: ResolvedPath, mustBeRead: boolean): Promise<Evaluated> {
  const { workspace } = change
  const shown = workspace.display(path.realPath)
  const now = await workspace.resolve(change.path)
  if (now.realPath !== path.realPath)
    throw new FileProblem(`${change.path} now leads to ${workspace.display(now.realPath)}, not to ${shown}. Call again if that is meant.`)
  if (/[\\/]$/.test(change.path)) throw new FileProblem(`${change.path} names a folder. Give the path of a file.`)
  const current = await loadHeld(workspace.editor, path.realPath, shown)
  if (!current && !change.mayCreate)
    throw new FileProblem(`${shown} does not exist. Check the path with Glob or ListDirectory, or make the file with Write.`, 'missing')
  const before = current && textOf(current, shown, change.needsText)
  if (current && mustBeRead) requireRead(workspace, path.realPath, shown, current)
  const newFolders = current ? [] : await missingFolders(dirname(path.realPath))
  const after = change.change(before, shown)
  const text = await hooked(change, plannedWrite(path, after.text, current))
  return { current, before, after: text === after.text ? after : { ...after, text }, meant: after.text, newFolders }
}

function plannedWrite({ realPath }: ResolvedPath, text: string, current: HeldFile | undefined): PlannedWrite {
  return { path: realPath, text, exists: current !== undefined }
}

async function hooked({ hooks }: FileChange, write: PlannedWrite): Promise<string> {
  return (await hooks?.()?.before(write)) ?? write.text
}

function textOf(current: HeldFile, shown: string, needed: boolean): CurrentText | undefined {
  if (!current.bytes) {
    if (!needed) return undefined
    throw new FileProblem(
      `${shown} is too large to edit as text (${mebibytes(current.size)}, at most ${mebibytes(LARGE_FILE_BYTES)}). Use a command with Bash.`,
    )
  }
  const decoded = decodeText(current.bytes)
  if ('text' in decoded) return { ...decoded, size: current.size }
  throw new FileProblem(`${shown} is no text this tool could change: ${decoded.notText.reason}. Nothing was written.`)
}

function requireRead(workspace: Workspace, realPath: string, shown: string, current: HeldFile): void {
  const seen = workspace.reads.lastRead(realPath)
  if (seen === undefined) throw new FileProblem(`${shown} exists but has not been read in this session. Read it first, then call again.`)
  if (seen !== current.mark)
    throw new FileProblem(
      `${shown} was changed ${current.unsaved ? 'in the editor' : 'on disk'} since it was last read. Read it again, then call again with what it says now.`,
      'changed',
    )
}

/** The folders that would have to be made, outermost first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = []
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const there = await stat(at).catch(() => undefined)
    if (there) break
    missing.unshift(at)
  }
  return missing
}

async function preview(change: FileChange, path: ResolvedPath): Promise<Preview> {
  try {
    // Whether the file was read is left to `check` and `run`: the Read may be an earlier call of the same step.
    const evaluated = await evaluate(change, path, false)
    return await diffOf(change, path, evaluated)
  } catch (error) {
    if (error instanceof FileProblem) return { kind: 'text', text: `This would fail: ${error.message}` }
    throw error
  }
}

async function diffOf(
  { workspace }: FileChange,
  path: ResolvedPath,
  { current, before, after, meant, newFolders }: Evaluated,
): Promise<Extract<Preview, { kind: 'diff' }>> {
  const shown = workspace.display(path.realPath)
  const unknown = current !== undefined && before === undefined
  const { note, ...diff } = unknown
    ? { diff: '', added: 0, removed: 0, note: 'The old content is too large to compare.' }
    : await unifiedDiff(shown, before?.text, after.text)
  const notes = [
    newFolders.length > 0 && `Makes the folder${newFolders.length > 1 ? 's' : ''} ${newFolders.map(workspace.display).join(', ')}.`,
    endingsNote(before, after),
    meant !== after.text && 'A hook changed what is written.',
    note,
  ]
  const all = notes.filter((text) => typeof text === 'string').join(' ')
  return { kind: 'diff', path: path.realPath, ...diff, ...(all !== '' && { note: all }) }
}

const MOST_NOTE_CHARS = 4_000

/** The model has to know what is in the file now. */
async function hookNote(shown: string, meant: string, text: string): Promise<string | undefined> {
  if (meant === text) return undefined
  const { diff } = await unifiedDiff(shown, meant, text)
  return diff.length > MOST_NOTE_CHARS
    ? 'A hook changed what was written: read the file before you change it again.'
    : `A hook changed what was written:\n${diff}`
}

const ENDING_NAMES = { none: 'no line ends', lf: 'LF', crlf: 'CRLF', mixed: 'mixed' }

function endingsNote(before: CurrentText | undefined, after: ChangedText): string | undefined {
  if (!before) return undefined
  const [from, to] = [lineEndings(before.text), lineEndings(after.text)]
  return from === to || from === 'none' || to === 'none'
    ? undefined
    : `Line endings change from ${ENDING_NAMES[from]} to ${ENDING_NAMES[to]}.`
}

async function apply(change: FileChange, path: ResolvedPath, { signal }: CallContext): Promise<ToolResult> {
  const { workspace } = change
  const shown = workspace.display(path.realPath)
  const evaluated = await evaluate(change, path, true)
  const { current, before, after, meant, newFolders } = evaluated
  if (!after.text.isWellFormed())
    throw new FileProblem('The new text has half of a surrogate pair (a \\ud800-\\udfff escape without its partner). Nothing was written.')
  const bytes = encodeText(after.text, after.format)
  // Before anything is written, so that nothing that can fail comes after.
  const details = await diffOf(change, path, evaluated)
  if (signal.aborted) throw new FileProblem('Stopped before anything was written.')
  if (current?.bytes?.equals(bytes))
    return ok(`${shown} already has exactly this content; nothing was written.`, { ...details, hash: current.mark })
  const { mark, note } = await writeHeld({
    editor: workspace.editor,
    realPath: path.realPath,
    shown,
    text: after.text,
    format: after.format,
    bytes,
    current,
  })
  change.hooks?.()?.written(plannedWrite(path, meant, current))
  workspace.reads.markRead(path.realPath, mark)
  const folders =
    newFolders.length > 0 && `Made the folder${newFolders.length > 1 ? 's' : ''} ${newFolders.map(workspace.display).join(', ')}.`
  const said = [after.said, folders, endingsNote(before, after), note, await hookNote(shown, meant, after.text)]
    .filter((text) => typeof text === 'string')
    .join(' ')
  return ok(said, { ...details, hash: mark })
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toLocaleString('en-US', { maximumFractionDigits: 1 })} MiB`
}
