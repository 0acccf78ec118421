import { dirname, basename } from 'node:path'
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { atomicWrite } from './atomic-write'
import { contentMark, LARGE_FILE_BYTES, largeFileMark, isSameStamp, type FileStamp } from './open-file'
import {
  type EditorFiles,
  normalizeEditorText,
  loadCurrentFile,
  MAX_EDITOR_BYTES,
  type CurrentFile,
} from './editor-files'
import { FileProblem, fileProblem } from '../path/file-problem'
import { pinFolder } from './pinned-folder'
import type { TextFormat } from './text-file'

/** A text that replaces a file. */
export interface FileWrite {
  editor: EditorFiles | undefined
  realPath: string
  /** How messages name the file. */
  shown: string
  text: string
  format: TextFormat
  /** The text as bytes on disk. */
  bytes: Buffer
  /** The file at the time the change was planned. */
  current: CurrentFile | undefined
  /** Permissions of a new file; default 0o666 less the umask. */
  mode?: number | undefined
}

/**
 * Writes a file: through the editor that may have it open, if it accepts the write, otherwise atomically to disk.
 * Returns the mark of the written content, and a note for the model. Throws `FileProblem`; then nothing was changed.
 */
export async function writeFileText(write: FileWrite): Promise<{ mark: string; note?: string }> {
  const { editor, realPath, shown, format, bytes, current, mode } = write
  const newFolders: string[] = []
  const made = (folder: string): void => void newFolders.push(folder)
  try {
    // Not every editor keeps other encodings.
    const throughEditor = format.encoding === 'utf-8' && !format.bom && bytes.length <= MAX_EDITOR_BYTES
    if (editor?.write && editor.covers(realPath) && throughEditor) {
      pinFolder(dirname(realPath), { shown, made }).close()
      return await writeThroughEditor(write, editor.write)
    }
    if (current?.unsaved)
      throw new FileProblem(
        `${shown} has changes in the editor that are not saved, and they cannot be changed from here. ` +
          'Ask the user to save it, then read it again.',
        'changed',
      )
    const written = await atomicWrite(realPath, bytes, {
      shown,
      expect: current?.stamp ?? 'absent',
      exactly: true,
      made,
      ...(mode !== undefined && { mode }),
    })
    return { mark: bytes.length > LARGE_FILE_BYTES ? largeFileMark(written) : contentMark(bytes) }
  } catch (error) {
    // Remove the folders that were created for the file. One that is in use by now is not empty and stays.
    for (const folder of newFolders.toReversed()) removeEmptyFolder(folder)
    throw fileProblem(error, shown)
  }
}

/** An editor may change more than requested (such as format on save), so the result is read back. */
async function writeThroughEditor(
  { editor, realPath, shown, text, bytes }: FileWrite,
  change: NonNullable<EditorFiles['write']>,
): Promise<{ mark: string; note?: string }> {
  await change(realPath, text)
  const now = await loadCurrentFile(editor, realPath, shown).catch(() => undefined)
  if (now?.bytes?.equals(bytes)) return { mark: now.mark }
  if (now?.bytes && normalizeEditorText(now.bytes.toString('utf8'), text) === text) return { mark: now.mark }
  return {
    mark: contentMark(bytes),
    note: now
      ? `The editor has changed ${shown} further while it took the change over; read it again before you change it.`
      : `The editor took the change over, but ${shown} is not on the disk yet.`,
  }
}

/**
 * Removes the file at a real path, in the same folder that was approved, if it hasn't changed since it was checked.
 * Throws `FileProblem`; then nothing was removed.
 */
export function removeFile(realPath: string, shown: string, expect: FileStamp): void {
  try {
    const folder = pinFolder(dirname(realPath), { shown })
    try {
      const target = folder.at(basename(realPath))
      const now = lstatSync(target, { bigint: true, throwIfNoEntry: false })
      if (!now || !isSameStamp(now, expect))
        throw new FileProblem(
          `${shown} was changed by something else at this very moment; it was not deleted. Read it again.`,
          'changed',
        )
      unlinkSync(target)
      folder.verify()
    } finally {
      folder.close()
    }
  } catch (error) {
    throw fileProblem(error, shown)
  }
}

/** Removes a folder if it is empty; does nothing if it is in use or doesn't exist. */
export function removeEmptyFolder(path: string): void {
  try {
    const parent = pinFolder(dirname(path), { shown: path })
    try {
      rmdirSync(parent.at(basename(path)))
    } finally {
      parent.close()
    }
  } catch {
    // It is in use or was already removed.
  }
}
