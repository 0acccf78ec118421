import { readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../../../../shared/error-text'

/** The nearest folder at or above `folder` that contains a git repository, or undefined. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (hasRepository(at)) return at
    if (dirname(at) === at) return undefined
  }
}

/**
 * Whether a folder has a `.git` that isn't empty. An empty one is not a repository, not even for git: sandboxes create
 * one where `.git` is missing, so that no command can create it, and remove it again.
 */
export function hasRepository(folder: string): boolean {
  const git = join(folder, '.git')
  try {
    const stat = statSync(git, { throwIfNoEntry: false })
    if (!stat?.isDirectory()) return stat !== undefined
    return readdirSync(git).length > 0
  } catch (error) {
    // It exists but cannot be read.
    return errorCode(error) === 'EACCES'
  }
}
