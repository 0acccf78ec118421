import { threadTime } from '../../process/thread-time'
import { statsOf } from '../safe-fs'
import type { SandboxPolicy } from '../sandbox-policy'
import { withMoved } from './moved-guards'
import { searchProject, type ProjectScan } from './project-scan'

/**
 * What in a project needs its own mount, even if commands have moved it since it was first found. Never throws.
 */
export function scanProject(root: string): ProjectScan {
  return withMoved(root, searchProject(root))
}

/** Searching takes at most 1/SHARE of the time. */
const SHARE = 50

interface Search {
  files: readonly string[]
  at: number
  ms: number
}

const searches = new Map<string, Search>()

/**
 * What the mounts of a sandbox depend on in its folders: which secrets and protected files there are, and whether they
 * are still the same files. Replacing a file, as editors and git do, removes the mount on it. A large project is
 * searched for new files only every few seconds; known files are checked each time. `isChanged` forces a search.
 */
export function projectState(
  { root, folders, protect }: Pick<SandboxPolicy, 'root' | 'folders' | 'protect'>,
  isChanged = false,
): string {
  const key = JSON.stringify([root, folders, protect])
  return search(key, [root, ...folders], isChanged)
    .map((path) => `${path}\0${statsOf(path)?.ino}`)
    .join('\n')
}

function search(key: string, folders: readonly string[], isChanged: boolean): readonly string[] {
  const began = performance.now()
  const last = searches.get(key)
  if (last && !isChanged && began - last.at < last.ms * SHARE && last.ms > 2) return last.files
  // Processor time, not wall time: on a busy machine a small project would count as a large one.
  const used = threadTime()
  const files = folders
    .map((folder) => scanProject(folder))
    .flatMap(({ secrets, secretFolders, protectedPaths, pinned }) => [
      ...secrets,
      ...secretFolders,
      ...protectedPaths,
      ...pinned,
    ])
  searches.set(key, { files, at: performance.now(), ms: threadTime() - used })
  return files
}
