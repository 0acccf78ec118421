import { homedir } from 'node:os'
import type { FileAccess } from './file-access'
import type { PathFlavor } from './path-flavor'
import { createReadState } from './read-state'
import { DISK, realPathOf, withLongNames, type PathLookup } from './real-path'
import { sensitiveRule } from './sensitive-rule'
import { SYSTEM_PATHS } from './system-paths'
import type { ReadState, Workspace } from './workspace'

/** What a workspace is made of. The folders may be given through symlinks; from then on their real paths count. */
export interface WorkspaceOptions {
  root: string
  addedFolders?: readonly string[]
  /** Default: nothing has been read. Pass the same one on when the folders of a session change. */
  reads?: ReadState
  /** What `~` means; default: the user's home folder. */
  home?: string
  /** Asked whenever a file is read or written; default: nobody has files open. */
  editor?: () => FileAccess | undefined
  /** How paths are written and compared; default: as on this machine. */
  paths?: PathFlavor
  /** Default: the file system of this machine. */
  disk?: PathLookup
}

export function createWorkspace({
  root,
  addedFolders = [],
  reads = createReadState(),
  home = homedir(),
  editor,
  paths = SYSTEM_PATHS,
  disk = DISK,
}: WorkspaceOptions): Workspace {
  const { sep } = paths.path
  const realRoot = realFolder(root, paths, disk)
  const realAdded = addedFolders.map((folder) => realFolder(folder, paths, disk))
  const folders = [realRoot, ...realAdded]

  return {
    root: realRoot,
    addedFolders: realAdded,
    reads,
    paths,
    userHome: home,
    get editor() {
      return editor?.()
    },
    async resolve(written) {
      const expanded = expandHome(written, home, sep)
      const path = withLongNames(paths.resolve(realRoot, expanded), paths, disk)
      // Not `path`: the system follows a link before it goes up with `..`, and so do we.
      const start = paths.isAbsolute(expanded) ? onItsDrive(paths.native(expanded), realRoot, paths) : `${realRoot}${sep}${expanded}`
      const { realPath, problem } = await realPathOf(start, paths, disk)
      return {
        // One place has one spelling, so that rules say the same of it however it was written.
        path: paths.isSame(path, realPath) ? realPath : path,
        realPath,
        inside: problem === undefined && folders.some((folder) => paths.isWithin(realPath, folder)),
        sensitive: sensitiveRule(path) ?? (realPath === path ? undefined : sensitiveRule(realPath)),
        ...(problem !== undefined && { problem }),
      }
    },
    display(absolutePath) {
      if (absolutePath === realRoot) return '.'
      return paths.isWithin(absolutePath, realRoot) ? paths.path.relative(realRoot, absolutePath) || '.' : absolutePath
    },
  }
}

/** A folder that is gone keeps the path it was given; the engine says so when the session is opened. */
function realFolder(folder: string, paths: PathFlavor, disk: PathLookup): string {
  const native = paths.native(folder)
  try {
    return paths.native(disk.realpath(native))
  } catch {
    return paths.path.resolve(native)
  }
}

/** `\\x` is on the drive of the project. */
function onItsDrive(native: string, root: string, paths: PathFlavor): string {
  const hasNoDrive = paths.platform === 'win32' && /^[\\/](?![\\/])/.test(native) && !paths.isDevice(native)
  return hasNoDrive ? paths.path.parse(root).root + native.slice(1) : native
}

/** Only the user's own home: `~` and `~/x`. A file that is really called `~` can be written as `./~`. */
function expandHome(path: string, home: string, sep: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || (sep === '\\' && path.startsWith('~\\')) ? home + path.slice(1) : path
}
