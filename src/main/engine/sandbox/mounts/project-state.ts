import { threadTime } from '../../process/thread-time'
import { statsOf } from '../safe-fs'
import type { SandboxPolicy } from '../sandbox-policy'
import { withMoved } from './moved-guards'
import { searchProject, type ProjectScan } from './project-scan'

/**
 * What lies in a project and needs a mount of its own, wherever commands have moved it since it was first found. Never
 * throws.
 */
export function scanProject(root: string): ProjectScan {
  return withMoved(root, searchProject(root))
}

/** Searching takes at most this part of the time. */
const SHARE = 50

interface Search {
  files: readonly string[]
  at: number
  ms: number
}

const searches = new Map<string, Search>()

/**
 * What the mounts of a sandbox depend on in its folders: which secrets and protected files there are, and whether they
 * are still the same files. Who replaces a file, as editors and git do, takes away what was mounted on it. A large
 * project is only searched for new ones every few seconds; those that are known are looked at each time.
 * `isChanged`: it is always searched.
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
  // Not by the clock: on a busy machine a small project would count as a large one.
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
