import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { FolderListing } from '../../shared/contract/folder'
import { CodedError } from '../../shared/model/errors'

/** More subfolders than anybody can choose from; the rest is left out. */
const MOST_FOLDERS = 2000

/**
 * The subfolders of a folder, by name, links to folders included. `~`, `~/x` and relative paths start at the home folder.
 * `request.invalid` when it is no folder or cannot be read.
 */
export async function listFolder(path: string, home: string = homedir()): Promise<FolderListing> {
  if (path.includes('\0')) throw new CodedError('request.invalid', 'path: a path cannot contain NUL')
  const expanded = path === '~' ? home : path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : resolve(home, path)
  try {
    const real = await realpath(expanded)
    const entries = await readdir(real, { withFileTypes: true })
    const names: string[] = []
    for (const entry of entries) {
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(real, entry.name))))) names.push(entry.name)
    }
    names.sort(
      (a, b) =>
        Number(a.startsWith('.')) - Number(b.startsWith('.')) || a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' }),
    )
    const parent = dirname(real)
    return {
      path: real,
      ...(parent !== real && { parent }),
      folders: names.slice(0, MOST_FOLDERS).map((name) => ({ name, path: join(real, name) })),
    }
  } catch (error) {
    throw new CodedError('request.invalid', `path: ${reasonOf(error)} (${expanded})`, { cause: error })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such folder'
    case 'ENOTDIR':
      return 'this is a file, not a folder'
    case 'EACCES':
    case 'EPERM':
      return 'this folder cannot be read'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}
