import { lstatSync, readdirSync } from 'node:fs'
import type { Workspace } from '../../workspace/workspace'
import { protectedPath, STARTS_IN_HOME } from './protected-path'

/** Whose files are looked at; what is in folders below is not. */
const IN_PROJECT = ['.git', '.git/hooks', '.trestle', '.vscode', '.husky', '.github/workflows', '.circleci', '']
const IN_HOME = ['.ssh', '.config/git', '.config/fish', '.config/autostart']
/** Maximum number of names of a folder that are looked at. */
const MAX_NAMES = 500

type Place = Pick<Workspace, 'root' | 'addedFolders' | 'userHome' | 'paths'>

/**
 * Why a change to the file at this real path asks in every mode: it is protected, or is a protected file of the project
 * or the user under another name (a hard link).
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

/** A file that has several names. */
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
