import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, relative, resolve as absolute, sep } from 'node:path'
import type { FileAccess } from './file-access'
import { createReadState } from './read-state'
import { realPathOf } from './real-path'
import { sensitiveRule } from './sensitive-rule'
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
}

export function createWorkspace({
  root,
  addedFolders = [],
  reads = createReadState(),
  home = homedir(),
  editor,
}: WorkspaceOptions): Workspace {
  const realRoot = realFolder(root)
  const realAdded = addedFolders.map(realFolder)
  const folders = [realRoot, ...realAdded]

  return {
    root: realRoot,
    addedFolders: realAdded,
    reads,
    get editor() {
      return editor?.()
    },
    async resolve(written) {
      const expanded = expandHome(written, home)
      const path = absolute(realRoot, expanded)
      // Not `path`: the system follows a link before it goes up with `..`, and so do we.
      const { realPath, problem } = await realPathOf(isAbsolute(expanded) ? expanded : `${realRoot}${sep}${expanded}`)
      return {
        path,
        realPath,
        inside: problem === undefined && folders.some((folder) => contains(folder, realPath)),
        sensitive: sensitiveRule(path) ?? (realPath === path ? undefined : sensitiveRule(realPath)),
        ...(problem !== undefined && { problem }),
      }
    },
    display(absolutePath) {
      if (absolutePath === realRoot) return '.'
      return contains(realRoot, absolutePath) ? relative(realRoot, absolutePath) : absolutePath
    },
  }
}

/** Whether `path` is `folder` or lies below it. Both absolute and normalised. */
function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** A folder that is gone keeps the path it was given; the engine says so when the session is opened. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return absolute(folder)
  }
}

/** Only the user's own home: `~` and `~/x`. A file that is really called `~` can be written as `./~`. */
function expandHome(path: string, home: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || (sep === '\\' && path.startsWith('~\\')) ? home + path.slice(1) : path
}
