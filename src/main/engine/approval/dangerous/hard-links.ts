import { lstatSync, readdirSync } from 'node:fs'
import type { Workspace } from '../../workspace/workspace'
import { protectedPath, STARTS_IN_HOME } from './protected-path'

/** The folders whose files are examined, without their subfolders. */
const IN_PROJECT = ['.git', '.git/hooks', '.trestle', '.vscode', '.husky', '.github/workflows', '.circleci', '']
const IN_HOME = ['.ssh', '.config/git', '.config/fish', '.config/autostart']
/** Maximum number of names examined in a folder. */
const MAX_NAMES = 500

type Place = Pick<Workspace, 'root' | 'addedFolders' | 'userHome' | 'paths'>

/**
 * Why a change to the file at this real path asks in every mode: it is protected, or it is another name (a hard link)
 * for a protected file of the project or the user.
 */
export function protectedFile(realPath: string, place: Place): string | undefined {
  const { userHome, paths } = place
  const reason = protectedPath(realPath, userHome, paths)
  if (reason !== undefined) return reason
  const file = linkedFile(realPath)
  if (!file) return undefined
  const same = candidates(place).find((path) => {
    const other = linkedFile(path)
    return other?.ino === file.ino && other.dev === file.dev
  })
  return same === undefined ? undefined : `the same file as ${same}, ${protectedPath(same, userHome, paths)}`
}

/** The device and inode of a file that has more than one name. */
function linkedFile(path: string): { dev: bigint; ino: bigint } | undefined {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    return stat?.isFile() && stat.nlink > 1n ? stat : undefined
  } catch {
    return undefined
  }
}

function candidates({ root, addedFolders, userHome, paths }: Place): string[] {
  const { join } = paths.path
  const folders = [
    ...[root, ...addedFolders].flatMap((project) => IN_PROJECT.map((name) => join(project, name))),
    ...IN_HOME.map((name) => join(userHome, name)),
  ]
  return [
    ...folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name))),
    ...STARTS_IN_HOME.map((name) => join(userHome, name)),
  ].filter((path) => protectedPath(path, userHome, paths) !== undefined)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES)
  } catch {
    return []
  }
}
