import { isUtf8 } from 'node:buffer'
import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { repositoryRoot } from '../../workspace/path/repository-root'

/** The location of a repository. All paths are real. */
export interface Repository {
  /** The top of the working tree, or a bare repository's own folder. */
  top: string
  /** The folder for this working tree: HEAD and the index. */
  gitDir: string
  /** The folder that all working trees share: settings, hooks, objects. */
  commonDir: string
  bare: boolean
}

/** No system has longer paths. */
const MAX_LINK_BYTES = 8_192

/**
 * The repository that contains a folder, found without git, so that none of its code can run. Something git might read
 * differently, such as a `.git` file that is too long or not text, is not a repository; `repositoryProblem` says why.
 */
export function findRepository(folder: string): Repository | undefined {
  const found = search(folder)
  return typeof found === 'string' ? undefined : found
}

/** Why a folder that seems to have a repository cannot be used with git, as a sentence. */
export function repositoryProblem(folder: string): string | undefined {
  const found = search(folder)
  return typeof found === 'string' ? found : undefined
}

function search(folder: string): Repository | string | undefined {
  const start = realFolder(folder)
  if (start === undefined) return undefined
  const top = repositoryRoot(start)
  if (top !== undefined) {
    const gitDir = gitDirOf(join(top, '.git'))
    if (typeof gitDir !== 'string') return gitDir.problem
    const commonDir = commonDirOf(gitDir)
    return typeof commonDir === 'string' ? { top, gitDir, commonDir, bare: false } : commonDir.problem
  }
  for (let at = start; ; at = dirname(at)) {
    if (isGitDir(at)) {
      const commonDir = commonDirOf(at)
      return typeof commonDir === 'string' ? { top: at, gitDir: at, commonDir, bare: true } : commonDir.problem
    }
    if (dirname(at) === at) return undefined
  }
}

/** Why something cannot be used, as a sentence. */
interface Problem {
  problem: string
}

/** The folder that `.git` is or names. */
function gitDirOf(dotGit: string): string | Problem {
  try {
    if (statSync(dotGit).isDirectory())
      return (isGitDir(dotGit) ? realFolder(dotGit) : undefined) ?? { problem: `${dotGit} is no Git repository.` }
  } catch {
    return { problem: `${dotGit} cannot be read.` }
  }
  const text = readGitLink(dotGit)
  if (typeof text !== 'string') return text
  const named = /^gitdir: ([^]+)$/.exec(text)?.[1]
  if (named === undefined) return { problem: `${dotGit} names no repository.` }
  const gitDir = isAbsolute(named) ? named : join(dirname(dotGit), named)
  return (
    (isGitDir(gitDir) ? realFolder(gitDir) : undefined) ?? {
      problem: `${dotGit} names a repository that does not exist.`,
    }
  )
}

/** Worktrees have no objects of their own. */
function isGitDir(folder: string): boolean {
  const has = (name: string): boolean => existsSync(join(folder, name))
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'))
}

function commonDirOf(gitDir: string): string | Problem {
  const file = join(gitDir, 'commondir')
  if (!existsSync(file)) return gitDir
  const named = readGitLink(file)
  if (typeof named !== 'string') return named
  const problem = { problem: `${file} names a repository that does not exist.` }
  return named === '' ? problem : (realFolder(resolve(gitDir, named)) ?? problem)
}

/**
 * The text of a file that names a folder, as git reads it: only trailing line breaks are removed. A file that could be
 * read in more than one way is a problem.
 */
export function readGitLink(file: string): string | Problem {
  let bytes: Buffer
  try {
    // Opening a pipe would wait for a writer.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      if (!fstatSync(handle).isFile()) return { problem: `${file} is not a plain file.` }
      const room = Buffer.alloc(MAX_LINK_BYTES + 1)
      let length = 0
      for (let read = -1; read !== 0 && length < room.length; length += read)
        read = readSync(handle, room, length, room.length - length, null)
      bytes = room.subarray(0, length)
    } finally {
      closeSync(handle)
    }
  } catch {
    return { problem: `${file} cannot be read.` }
  }
  if (bytes.length > MAX_LINK_BYTES) return { problem: `${file} is too long to be a link to a repository.` }
  if (!isUtf8(bytes)) return { problem: `${file} is not UTF-8 text.` }
  const text = bytes.toString('utf8').replace(/[\r\n]+$/, '')
  return text.includes('\0') ? { problem: `${file} has a zero byte.` } : text
}

/** The real path; undefined when it is missing, or its name is not UTF-8. */
function realFolder(folder: string): string | undefined {
  try {
    const bytes = realpathSync.native(folder, 'buffer')
    return isUtf8(bytes) ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}
