import { contentMark, loadFile, type LoadedFile } from './open-file'
import { decodeText, encodeText, lineEndings, type TextFormat } from './text-file'

/**
 * Files that an editor has open, with unsaved text. `read` and `write` can each be absent; then the disk is used
 * instead. Paths are real paths.
 */
export interface EditorFiles {
  /** Whether the editor is responsible for this path. */
  covers(path: string): boolean
  /** The current text in the editor; undefined if the editor does not know the file. Never rejects. */
  read?(path: string, signal?: AbortSignal): Promise<string | undefined>
  /** Changes the text in the editor and on disk. Rejects with a `FileProblem` if refused. */
  write?(path: string, text: string): Promise<void>
}

/** Larger files are not requested, because a whole file has to pass through the pipe to the editor. */
export const MAX_EDITOR_BYTES = 4 * 1024 * 1024
const PLAIN: TextFormat = { encoding: 'utf-8', bom: false }

/** A file that may differ between an editor and the disk. */
export interface CurrentFile extends LoadedFile {
  /** Set if `bytes` are from an editor and not saved to disk. */
  unsaved?: true
  /** Whether the file exists on disk. */
  isOnDisk: boolean
}

/**
 * The file at a real path, with the unsaved text of an editor, if any; undefined if it does not exist. Throws
 * `FileProblem`.
 */
export async function loadCurrentFile(
  editor: EditorFiles | undefined,
  realPath: string,
  shown: string,
  signal?: AbortSignal,
): Promise<CurrentFile | undefined> {
  const disk = await loadFile(realPath, shown)
  const unsaved = await unsavedBytes(editor, realPath, disk, signal)
  if (!unsaved) return disk && { ...disk, isOnDisk: true }
  const stamp = disk?.stamp ?? { dev: 0n, ino: 0n, size: 0n, mtimeNs: 0n, ctimeNs: 0n }
  return {
    bytes: unsaved,
    size: unsaved.length,
    mark: contentMark(unsaved),
    stamp,
    links: disk?.links ?? 0,
    unsaved: true,
    isOnDisk: disk !== undefined,
  }
}

/** The editor's content of a file; undefined if it is the same as on disk, or if the editor does not know the file. */
export async function unsavedBytes(
  editor: EditorFiles | undefined,
  realPath: string,
  disk: Pick<LoadedFile, 'bytes' | 'size'> | undefined,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  if (!editor?.read || !editor.covers(realPath) || (disk && (!disk.bytes || disk.size > MAX_EDITOR_BYTES)))
    return undefined
  const saved = disk?.bytes && decodeText(disk.bytes)
  // Editors don't open files that are not text.
  if (saved && 'notText' in saved) return undefined
  const held = await editor.read(realPath, signal)
  if (held === undefined || (!saved && held === '') || held.includes('\0')) return undefined
  const text = normalizeEditorText(held, saved?.text)
  return text === saved?.text ? undefined : encodeText(text, saved?.format ?? PLAIN)
}

/**
 * Editors drop byte order marks and carriage returns, and some drop the newline at the end: that alone is not a change.
 */
export function normalizeEditorText(held: string, saved: string | undefined): string {
  const text = held.startsWith('\ufeff') ? held.slice(1) : held
  if (saved === undefined) return text
  const ended = lineEndings(saved) === 'crlf' && !text.includes('\r') ? text.replaceAll('\n', '\r\n') : text
  if (ended === saved || plain(ended) === plain(saved)) return saved
  return ended
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '')
}
