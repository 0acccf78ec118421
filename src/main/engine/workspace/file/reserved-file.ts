import { lstatSync, readdirSync, rmdirSync } from 'node:fs'
import { basename } from 'node:path'

/** Names of files in a project that a sandbox reserves with an empty folder while they don't exist. */
export const RESERVED_FILES: ReadonlySet<string> = new Set([
  '.mcp.json',
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
])

/** The same for folders. */
export const RESERVED_FOLDERS: ReadonlySet<string> = new Set(['.trestle', '.vscode', '.husky'])

/** Whether a path is only a placeholder of a sandbox: an empty folder with a reserved name. */
export function isReservedName(path: string): boolean {
  const name = basename(path)
  return (RESERVED_FILES.has(name) || RESERVED_FOLDERS.has(name)) && isEmptyFolder(path)
}

/**
 * Whether a path is only a placeholder that reserves the name of a file. Readers and writers of files treat it as
 * missing.
 */
export function isPlaceholder(path: string): boolean {
  return RESERVED_FILES.has(basename(path)) && isEmptyFolder(path)
}

function isEmptyFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory() && readdirSync(path).length === 0
  } catch {
    return false
  }
}

/** Removes the placeholder at a path, so that a file can be created. Leaves anything else alone. */
export function removePlaceholder(path: string): void {
  if (!isPlaceholder(path)) return
  try {
    rmdirSync(path)
  } catch {
    // It is no longer empty; the caller's write reports the problem.
  }
}
