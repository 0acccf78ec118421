import { statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Repository } from './find-repository'

/** Arguments and variables that point git to a repository. */
export interface GitStart {
  args: string[]
  env: Record<string, string>
}

/**
 * Names the repository explicitly, so that git uses the one that was checked. `from`: a folder of the working tree that
 * paths are relative to; by default the top.
 *
 * Commands that write in a plain repository find it from its top instead, see `isFoundByGit`.
 */
export function startIn(repository: Repository, { write, from }: { write: boolean; from?: string }): GitStart {
  const { top, gitDir, commonDir, bare } = repository
  const args = ['-C', from ?? top]
  if (write && isFoundByGit(repository)) return startAsFound(repository)
  return { args, env: { GIT_DIR: gitDir, ...(!bare && { GIT_COMMON_DIR: commonDir, GIT_WORK_TREE: top }) } }
}

/**
 * Whether writing commands let git find the repository itself. Hooks inherit the variables that name it, so a hook that
 * creates a repository elsewhere, as tests do, would write into this one. With `.git` in a plain working tree, git
 * therefore finds it, after confirming which repository that is (`repositoryQuestion`). In linked working trees git
 * sets those variables for hooks anyway.
 */
export function isFoundByGit({ top, gitDir, commonDir, bare }: Repository): boolean {
  // A folder with the delimiter cannot be in GIT_CEILING_DIRECTORIES.
  return !bare && gitDir === commonDir && gitDir === join(top, '.git') && !dirname(top).includes(delimiter)
}

/** Git looks for the repository, but only in this folder. */
export function startAsFound({ top }: Repository): GitStart {
  return { args: ['-C', top], env: { GIT_CEILING_DIRECTORIES: dirname(top) } }
}

/** A command that prints which repository git finds, and the expected output for the one that was checked. */
export function repositoryQuestion({ top, gitDir, commonDir, bare }: Repository): { args: string[]; answer: Buffer } {
  const args = ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir']
  const answer = [gitDir, commonDir, ...(bare ? [] : [top])]
  return {
    args: bare ? args : [...args, '--show-toplevel'],
    answer: Buffer.from(answer.map((one) => `${one}\n`).join('')),
  }
}

/** Whether everything is owned by the user, so that other users cannot change what was checked. */
export function isOwn({ top, gitDir, commonDir, bare }: Repository): boolean {
  const uid = process.geteuid?.()
  if (uid === undefined) return false
  try {
    return [top, gitDir, commonDir, ...(bare ? [] : [join(top, '.git')])].every((path) => statSync(path).uid === uid)
  } catch {
    return false
  }
}
