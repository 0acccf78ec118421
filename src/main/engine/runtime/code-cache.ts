import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Node keeps the program in compiled form, for all homes and versions of a user. */
export function codeCacheFolder(): string {
  return join(tmpdir(), `trestle-code-${process.getuid?.() ?? 'cache'}`)
}

/**
 * How a process compiles what it loads: `eager` what keeps working, all functions of a file at once, which the first
 * steps of a turn gain from; `lazy` what is soon over or has to stay small. Node rejects what was compiled the other
 * way.
 */
export type Compilation = 'eager' | 'lazy'

/** Commands in whose process an agent may work. */
const WORKS: ReadonlySet<string | undefined> = new Set(['print', 'chat', 'acp', 'wire', 'serve'])

/** How a process compiles, by the command of `trestle` that it was started with: `eager` where an agent may work. */
export function compilationOf(command: string | undefined): Compilation {
  return WORKS.has(command) ? 'eager' : 'lazy'
}

/**
 * Lets Node keep compiled code for the next start, unless there is no safe place for it. Not in Node's own folder,
 * whose name is known and which another user could make first: what is in it runs as this one.
 */
export function enableCodeCache(compilation: Compilation, folder = codeCacheFolder()): void {
  if (isPrivate(folder)) enableCompileCache(join(folder, compilation))
}

/** Whether this process keeps compiled code, in our folder or in the one of NODE_COMPILE_CACHE. */
export function hasCodeCache(): boolean {
  return getCompileCacheDir() !== undefined
}

/** Makes the folder when it is missing. On Windows the folder for temporary files is the user's own. */
function isPrivate(folder: string): boolean {
  try {
    if (!lstatSync(folder, { throwIfNoEntry: false })) mkdirSync(folder, { mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
  } catch {
    return false
  }
}
