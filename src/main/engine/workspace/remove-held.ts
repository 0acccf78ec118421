import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { FileProblem, fileProblem } from './file-problem'
import { holdFolder } from './held-folder'
import { isSameStamp, type FileStamp } from './open-file'

/**
 * Removes the file at a real path, in the very folder that was judged, when it is still as it was looked at. Throws `FileProblem`; nothing is removed then.
 */
export function removeHeld(realPath: string, shown: string, expect: FileStamp): void {
  try {
    const folder = holdFolder(dirname(realPath), { shown })
    try {
      const target = folder.at(basename(realPath))
      const now = lstatSync(target, { bigint: true, throwIfNoEntry: false })
      if (!now || !isSameStamp(now, expect))
        throw new FileProblem(`${shown} was changed by something else at this very moment; it was not deleted. Read it again.`, 'changed')
      unlinkSync(target)
      folder.verify()
    } finally {
      folder.close()
    }
  } catch (error) {
    throw fileProblem(error, shown)
  }
}

/** Removes a folder that is empty; one that is in use, or gone, is left alone. */
export function removeEmptyFolder(path: string): void {
  try {
    const parent = holdFolder(dirname(path), { shown: path })
    try {
      rmdirSync(parent.at(basename(path)))
    } finally {
      parent.close()
    }
  } catch {
    // In use meanwhile, or gone.
  }
}
