import { statsOf } from './file-facts'
import { scanProject } from './project-scan'
import type { SandboxPolicy } from './sandbox-policy'

/** Looking takes at most this part of the time. */
const SHARE = 50

interface Look {
  state: string
  at: number
  ms: number
}

const looks = new Map<string, Look>()

/**
 * What the mounts of a sandbox depend on in its folders: which secrets and protected files there are, and whether they are still the same files. Who replaces a file, as
 * editors and git do, takes away what was mounted on it. In a large project it is only looked every few seconds.
 */
export function projectState({ root, folders, protect }: Pick<SandboxPolicy, 'root' | 'folders' | 'protect'>, isChanged = false): string {
  const key = JSON.stringify([root, folders, protect])
  const began = performance.now()
  const last = looks.get(key)
  if (last && !isChanged && began - last.at < last.ms * SHARE && last.ms > 2) return last.state
  const scans = [root, ...folders].map((folder) => scanProject(folder))
  const files = scans.flatMap(({ secrets, secretFolders, protectedPaths, pinned }) => [
    ...secrets,
    ...secretFolders,
    ...protectedPaths,
    ...pinned,
  ])
  const state = files.map((path) => `${path}\0${statsOf(path)?.ino}`).join('\n')
  const now = performance.now()
  looks.set(key, { state, at: now, ms: now - began })
  return state
}
