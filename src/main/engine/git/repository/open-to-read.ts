import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { createRunGit, type GitResult, type GitRun } from '../run/run-git'
import { filtersOff } from './filters-off'
import { findRepository, repositoryProblem, type Repository } from '../run/find-repository'
import { readGitTrust, readGitUser } from '../trust/git-trust'
import { openRepository } from './open-repository'

export interface ReadingPlace {
  home: string
  /** The environment of commands; waits until it is known. */
  env(): Promise<Readonly<Record<string, string | undefined>>>
}

type Options = Pick<GitRun, 'input' | 'maxBytes' | 'okCodes' | 'settings'>

/** A repository that is only read. Its content filters run only if it is trusted. */
export interface ReadableRepository extends Repository {
  /** Runs a read-only command in the opened folder. */
  read(args: readonly string[], options?: Options): Promise<GitResult>
}

/**
 * Opens a folder's repository for read-only commands, even if it is untrusted; then its content filters are off.
 * Rejects with `git.no_repository`, and with `git.untrusted` when the filters cannot be turned off.
 */
export async function openToRead({ home, env }: ReadingPlace, folder: string): Promise<ReadableRepository> {
  const repository = findRepository(folder)
  if (!repository)
    throw new CodedError('git.no_repository', repositoryProblem(folder) ?? 'This folder is not in a git repository.')
  const neutralFolder = join(home, 'git', 'run')
  mkdirSync(neutralFolder, { recursive: true, mode: 0o700 })
  const given = await env()
  const run = createRunGit({ env: () => given, neutralFolder })
  const opened = openRepository(repository, run)
  const { state } = readGitTrust({ home, user: await readGitUser(run, given) }, repository)
  const off = state === 'asked' ? await filtersOff(repository, run, neutralFolder) : []
  return {
    ...repository,
    read: (args, options = {}) =>
      opened.read(args, { ...options, from: folder, settings: [...(options.settings ?? []), ...off] }),
  }
}
