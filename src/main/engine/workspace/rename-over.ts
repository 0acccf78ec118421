import { renameSync } from 'node:fs'
import { errorCode } from './file-problem'

/** What Windows answers while a virus scanner, an editor or the search index holds a file open. */
const HELD = new Set(['EPERM', 'EACCES', 'EBUSY'])
const MOST_TRIES = 6
/** Between two tries at first; twice as long each time. */
const FIRST_WAIT_MS = 20

export interface RenameOverOptions {
  /** The last look, in one go with each try: what it throws ends the tries. */
  lastLook?: () => void
  platform?: NodeJS.Platform
  rename?: (from: string, to: string) => void
}

/** Puts a file in the place of another, and tries again for 0.6 s where Windows holds that one for a moment. */
export async function renameOver(from: string, to: string, options: RenameOverOptions = {}): Promise<void> {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, waitOf(tries)))
  }
}

/** The same for callers that cannot wait: small files of our own, which are seldom held. */
export function renameOverSync(from: string, to: string, options: RenameOverOptions = {}): void {
  for (let tries = 1; !tryRename(from, to, tries, options); tries += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitOf(tries))
  }
}

/** False: it is held just now. */
function tryRename(
  from: string,
  to: string,
  tries: number,
  { lastLook, platform = process.platform, rename = renameSync }: RenameOverOptions,
): boolean {
  lastLook?.()
  try {
    rename(from, to)
    return true
  } catch (error) {
    if (platform !== 'win32' || !HELD.has(errorCode(error) ?? '') || tries === MOST_TRIES) throw error
    return false
  }
}

function waitOf(tries: number): number {
  return FIRST_WAIT_MS * 2 ** (tries - 1)
}
