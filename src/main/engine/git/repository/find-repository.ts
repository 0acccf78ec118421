import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { repositoryRoot } from '../../workspace/path/repository-root'
import { readSmallFile } from './small-file'

/** Where a repository is. All paths are real. */
export interface Repository {
  /** The top of the working tree; of a bare repository its own folder. */
  top: string
  /** What belongs to this working tree: HEAD and the index. */
  gitDir: string
  /** What all working trees share: settings, hooks, objects. */
  commonDir: string
  bare: boolean
}

const MAX_LINK_BYTES = 8_192

/** The repository that a folder belongs to, found without git: nothing of it can run. */
export function findRepository(folder: string): Repository | undefined {
  let start: string
  try {
    start = realpathSync.native(folder)
  } catch {
    return undefined
  }
  const top = repositoryRoot(start)
  if (top !== undefined) {
    const gitDir = gitDirOf(join(top, '.git'))
    if (gitDir !== undefined) return { top, gitDir, commonDir: commonDirOf(gitDir), bare: false }
  }
  for (let at = start; ; at = dirname(at)) {
    if (isGitDir(at)) return { top: at, gitDir: at, commonDir: commonDirOf(at), bare: true }
    if (dirname(at) === at) return undefined
  }
}

/** What `.git` is: the folder itself, or where its text leads. */
function gitDirOf(dotGit: string): string | undefined {
  try {
    if (statSync(dotGit).isDirectory()) return isGitDir(dotGit) ? realpathSync.native(dotGit) : undefined
    const named = /^gitdir: (.+?)\s*$/s.exec(readSmallFile(dotGit, MAX_LINK_BYTES) ?? '')?.[1]
    if (named === undefined) return undefined
    const gitDir = isAbsolute(named) ? named : join(dirname(dotGit), named)
    return isGitDir(gitDir) ? realpathSync.native(gitDir) : undefined
  } catch {
    return undefined
  }
}

/** Worktrees have no objects of their own. */
function isGitDir(folder: string): boolean {
  const has = (name: string): boolean => existsSync(join(folder, name))
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'))
}

function commonDirOf(gitDir: string): string {
  const named = (readSmallFile(join(gitDir, 'commondir'), MAX_LINK_BYTES) ?? '').trim()
  if (named === '') return gitDir
  try {
    return realpathSync.native(resolve(gitDir, named))
  } catch {
    return gitDir
  }
}
