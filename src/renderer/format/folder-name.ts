import { pathInPlace } from '../../shared/model/place/place-folder'
import { isScratchFolder } from '../../shared/model/project/scratch-folder'

export interface FolderName {
  /** The folder itself. */
  name: string
  /** The parent folder, shortened with `~`. */
  parent: string
}

/**
 * A folder's path for display: `/home/ada/code/storefront` is `storefront` in `~/code`. Accepts both kinds of slashes.
 * The folders of sessions without a project have no name.
 */
export function folderName(path: string, userHome: string | undefined): FolderName {
  if (isScratchFolder(path)) return { name: 'No project', parent: '' }
  const short = shortPath(path, userHome)
  const cut = Math.max(short.lastIndexOf('/'), short.lastIndexOf('\\'))
  if (short === '~' || cut === -1 || cut === short.length - 1) return { name: short, parent: '' }
  return { name: short.slice(cut + 1), parent: cut === 0 ? (short[0] ?? '') : short.slice(0, cut) }
}

/** The path with the home folder written as `~`; for a folder on a place, its path there. */
export function shortPath(folder: string, userHome: string | undefined): string {
  const path = pathInPlace(folder)
  if (path !== folder) return path
  if (!userHome || userHome.length < 2) return path
  if (path === userHome) return '~'
  const next = path.charAt(userHome.length)
  return path.startsWith(userHome) && (next === '/' || next === '\\') ? `~${path.slice(userHome.length)}` : path
}
