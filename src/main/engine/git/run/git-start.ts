import { statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { Repository } from './find-repository'

/** How git is led to a repository. */
export interface GitStart {
  args: string[]
  env: Record<string, string>
}

/**
 * Names the repository to git, so that it is the one that was judged. `from`: a folder of the working tree that names
 * are relative to; default: the top.
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
 * Whether commands that write let git find the repository. Hooks inherit what it is named by, and one that makes a
 * repository elsewhere, as tests do, would then write into this one; so `.git` in a plain working tree is found
 * instead, after git was asked which repository that is (`repositoryQuestion`). In linked working trees git names it to
 * hooks anyway.
 */
export function isFoundByGit({ top, gitDir, commonDir, bare }: Repository): boolean {
  // Such a folder cannot be in the list of those that git looks no higher than.
  return !bare && gitDir === commonDir && gitDir === join(top, '.git') && !dirname(top).includes(delimiter)
}

/** Git looks for the repository, but in no other folder. */
export function startAsFound({ top }: Repository): GitStart {
  return { args: ['-C', top], env: { GIT_CEILING_DIRECTORIES: dirname(top) } }
}

/** A command that answers which repository git finds, and the answer for the one that was judged. */
export function repositoryQuestion({ top, gitDir, commonDir, bare }: Repository): { args: string[]; answer: Buffer } {
  const args = ['rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir']
  const answer = [gitDir, commonDir, ...(bare ? [] : [top])]
  return {
    args: bare ? args : [...args, '--show-toplevel'],
    answer: Buffer.from(answer.map((one) => `${one}\n`).join('')),
  }
}

/** Whether everything belongs to the user, so that other users cannot change what was judged. */
export function isOwn({ top, gitDir, commonDir, bare }: Repository): boolean {
  const uid = process.geteuid?.()
  if (uid === undefined) return false
  try {
    return [top, gitDir, commonDir, ...(bare ? [] : [join(top, '.git')])].every((path) => statSync(path).uid === uid)
  } catch {
    return false
  }
}
