import { contentMark, loadFile, type LoadedFile } from './open-file'
import { decodeText, encodeText, lineEndings, type TextFormat } from './text-file'

/**
 * Files as an editor has them open, with text that is not saved yet. Each half may be missing; then
 * the disk counts. Paths are real paths.
 */
export interface EditorFiles {
  /** Whether it is asked about this path at all. */
  covers(path: string): boolean
  /** The text as it is there now; undefined when it is not known there. Never rejects. */
  read?(path: string, signal?: AbortSignal): Promise<string | undefined>
  /** Changes the text there and on the disk. Rejects with a `FileProblem` when it is refused. */
  write?(path: string, text: string): Promise<void>
}

/** A larger file is not asked for: it would have to pass whole through the pipe to the editor. */
export const MAX_EDITOR_BYTES = 4 * 1024 * 1024
const PLAIN: TextFormat = { encoding: 'utf-8', bom: false }

/** A file that may be another in an editor than on the disk. */
export interface CurrentFile extends LoadedFile {
  /** Set when `bytes` are not on the disk but in an editor. */
  unsaved?: true
  /** Whether there is a file on the disk. */
  isOnDisk: boolean
}

/**
 * The file at a real path, with what an editor has not saved yet; undefined when it does not exist. Throws
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

/** What an editor has in place of what is on the disk; undefined when it has the same, or does not know the file. */
export async function unsavedBytes(
  editor: EditorFiles | undefined,
  realPath: string,
  disk: Pick<LoadedFile, 'bytes' | 'size'> | undefined,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  if (!editor?.read || !editor.covers(realPath) || (disk && (!disk.bytes || disk.size > MAX_EDITOR_BYTES)))
    return undefined
  const saved = disk?.bytes && decodeText(disk.bytes)
  // What is not text is in no editor.
  if (saved && 'notText' in saved) return undefined
  const held = await editor.read(realPath, signal)
  if (held === undefined || (!saved && held === '') || held.includes('\0')) return undefined
  const text = normalizeEditorText(held, saved?.text)
  return text === saved?.text ? undefined : encodeText(text, saved?.format ?? PLAIN)
}

/**
 * Editors keep neither byte order marks nor carriage returns, and some no newline at the end: that alone is not a
 * change.
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
