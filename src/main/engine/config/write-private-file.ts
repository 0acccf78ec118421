import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { mayBeOverwritten, overwriteFile } from '../workspace/file/overwrite-file'
import { renameOverSync } from '../workspace/file/atomic-write'

/**
 * Replaces a file atomically: readers see the old text or the new one, even after a power cut. Mode 0600. A symlink is
 * kept and its target replaced. A file that cannot be replaced, such as one bind-mounted into a container, is written
 * in place.
 */
export function writePrivateFile(file: string, text: string): void {
  const target = realPathOf(file)
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const fd = openSync(temporary, 'wx', 0o600)
    try {
      writeFileSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameOverSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    if (!mayBeOverwritten(error) || !existsSync(target)) throw error
    overwriteFile(target, Buffer.from(text), { shown: target })
  }
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
