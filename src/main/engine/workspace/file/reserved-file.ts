import { lstatSync, readdirSync, rmdirSync } from 'node:fs'
import { basename } from 'node:path'

/** Names of files in a project that a sandbox keeps from being taken, with an empty folder, while nothing has them. */
export const RESERVED_FILES: ReadonlySet<string> = new Set([
  '.mcp.json',
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
])

/**
 * Whether what is at a path only keeps the name of a file free: for those who read and write files, nothing is there.
 */
export function isPlaceholder(path: string): boolean {
  if (!RESERVED_FILES.has(basename(path))) return false
  try {
    return lstatSync(path).isDirectory() && readdirSync(path).length === 0
  } catch {
    return false
  }
}

/** Removes the placeholder at such a path, so that a file can be created. Leaves anything else alone. */
export function removePlaceholder(path: string): void {
  if (!isPlaceholder(path)) return
  try {
    rmdirSync(path)
  } catch {
    // Something has been put into it; what writes says so.
  }
}
