import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SCRATCH_FOLDERS } from '../../../shared/model/project/scratch-folder'

/**
 * Creates the folder of a session without a project, which only the user can open, and returns its path, named by the
 * date and a random part. Like any project, it is kept when the session is deleted.
 */
export async function makeScratchFolder(home: string, now: Date = new Date()): Promise<string> {
  const name = `${now.toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`
  const path = join(dirname(home), SCRATCH_FOLDERS, name)
  await mkdir(path, { recursive: true, mode: 0o700 })
  return path
}
