import { dirname } from 'node:path'
import { atomicWrite } from './atomic-write'
import { contentMark, LARGE_FILE_BYTES, largeFileMark } from './content-mark'
import type { FileAccess } from './file-access'
import { FileProblem, fileProblem } from './file-problem'
import { holdFolder } from './held-folder'
import { removeEmptyFolder } from './remove-held'
import type { TextFormat } from './text-file'
import { asSaved, loadHeld, MOST_HELD_BYTES, type HeldFile } from './unsaved-text'

/** A text that shall take the place of a file. */
export interface HeldWrite {
  editor: FileAccess | undefined
  realPath: string
  /** How messages name it. */
  shown: string
  text: string
  format: TextFormat
  /** The same, as it shall be on the disk. */
  bytes: Buffer
  /** As it was when the change was made up. */
  current: HeldFile | undefined
  /** Permissions of a file that is new; default 0o666 without the umask. */
  mode?: number | undefined
}

/**
 * Writes a file, through the editor that may have it open where it takes that, else to the disk in one go. Returns the mark of what was written, and what
 * the model should know. Throws `FileProblem`; nothing is changed then.
 */
export async function writeHeld(write: HeldWrite): Promise<{ mark: string; note?: string }> {
  const { editor, realPath, shown, format, bytes, current, mode } = write
  const newFolders: string[] = []
  const made = (folder: string): void => void newFolders.push(folder)
  try {
    // Other encodings are nothing that every editor keeps.
    const throughEditor = format.encoding === 'utf-8' && !format.bom && bytes.length <= MOST_HELD_BYTES
    if (editor?.write && editor.covers(realPath) && throughEditor) {
      holdFolder(dirname(realPath), { shown, made }).close()
      return await intoEditor(write, editor.write)
    }
    if (current?.unsaved)
      throw new FileProblem(
        `${shown} has changes in the editor that are not saved, and they cannot be changed from here. Ask the user to save it, then read it again.`,
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
    // Folders made for a file that could not be made are of no use; one that is in use meanwhile is not empty and stays.
    for (const folder of newFolders.toReversed()) removeEmptyFolder(folder)
    throw fileProblem(error, shown)
  }
}

/** An editor may do more than it is told (format at saving, say): what is there afterwards is looked at. */
async function intoEditor(
  { editor, realPath, shown, text, bytes }: HeldWrite,
  change: NonNullable<FileAccess['write']>,
): Promise<{ mark: string; note?: string }> {
  await change(realPath, text)
  const now = await loadHeld(editor, realPath, shown).catch(() => undefined)
  if (now?.bytes?.equals(bytes)) return { mark: now.mark }
  if (now?.bytes && asSaved(now.bytes.toString('utf8'), text) === text) return { mark: now.mark }
  return {
    mark: contentMark(bytes),
    note: now
      ? `The editor has changed ${shown} further while it took the change over; read it again before you change it.`
      : `The editor took the change over, but ${shown} is not on the disk yet.`,
  }
}
