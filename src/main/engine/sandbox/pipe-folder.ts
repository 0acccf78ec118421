import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../process/process-identity'

const TMPFS_MAGIC = 0x01021994
const LEFT_MS = 3_600_000
const OF_PROCESS = /^trestle-(\d+)-/

let inMemory: string | false | undefined

/**
 * Creates a folder for the named pipes that a sandbox is started with, or for sockets. Only the user can open it, and
 * its path is short. It is in memory if possible: creating a file on disk can take a millisecond, and a sandbox has
 * dozens of pipes. What killed processes left there is removed. `otherwise`: where to create it if no folder is in
 * memory.
 */
export function makePipeFolder(otherwise: string): string {
  inMemory ??= findMemoryFolder()
  return mkdtempSync(join(inMemory === false ? otherwise : inMemory, `trestle-${process.pid}-`))
}

function findMemoryFolder(): string | false {
  const found = [process.env['XDG_RUNTIME_DIR'] ?? '', '/dev/shm'].find((folder) => folder !== '' && isInMemory(folder))
  if (found !== undefined) removeOrphanedPipes(found)
  return found ?? false
}

function isInMemory(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statfsSync(folder).type === TMPFS_MAGIC
  } catch {
    return false
  }
}

/**
 * Removes what killed processes left, except recent folders: in another container, the pid can belong to another
 * process.
 */
function removeOrphanedPipes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = OF_PROCESS.exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    try {
      const path = join(folder, name)
      if (Date.now() - statSync(path).mtimeMs > LEFT_MS) rmSync(path, { recursive: true, force: true })
    } catch {
      // Belongs to another user, or already deleted.
    }
  }
}
