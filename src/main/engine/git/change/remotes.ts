import { CodedError } from '../../../../shared/errors'
import { currentBranch } from '../repository/current-branch'
import type { OpenRepository } from '../repository/open-repository'
import { operationOf } from '../run/git-files'
import { requireNothingInTheWay } from './in-the-way'

/** How to follow and cancel a command that uses a remote. */
export interface RemoteRun {
  signal?: AbortSignal
  onProgress?(line: string): void
}

/** Fetches new commits from all remotes, or from one. */
export async function fetchRemote(
  repository: OpenRepository,
  remote: string | undefined,
  run: RemoteRun,
): Promise<void> {
  if (remote !== undefined) await requireRemote(repository, remote)
  await repository.write(
    ['fetch', '--progress', '--no-auto-maintenance', ...(remote === undefined ? ['--all'] : ['--', remote])],
    run,
  )
}

export type PullWay = 'fast-forward' | 'rebase'

/**
 * Fetches new commits of the upstream branch and fast-forwards to them, or rebases the branch's own commits onto them.
 * Fails with `git.diverged`, without changing anything, if a fast-forward is not possible.
 */
export async function pull(repository: OpenRepository, way: PullWay, run: RemoteRun): Promise<void> {
  const operation = operationOf(repository)
  if (operation && operation.kind !== 'bisect')
    throw new CodedError('git.busy', `A ${operation.kind} is in progress: continue or abort it first.`)
  const branch = await requireBranch(repository)
  const remote = await repository.maybe(['config', '--get', `branch.${branch}.remote`])
  if (remote === undefined || remote === '')
    throw new CodedError('git.no_upstream', `The branch ${branch} has no upstream to pull from.`)
  if (remote !== '.') await repository.write(['fetch', '--progress', '--no-auto-maintenance', '--', remote], run)
  const upstream = await repository.maybe(['rev-parse', '--verify', '--quiet', '@{upstream}^{commit}'])
  if (upstream === undefined) throw new CodedError('git.no_upstream', `The upstream of ${branch} no longer exists.`)
  await requireNothingInTheWay(repository, upstream, { alsoReplayed: way === 'rebase' })
  const { signal } = run
  if (way === 'fast-forward')
    await repository.write(['merge', '--ff-only', '--quiet', '--no-autostash', upstream], signal ? { signal } : {})
  else await repository.write(['rebase', '--quiet', '--no-autostash', upstream], signal ? { signal } : {})
}

export interface PushRequest {
  /** Default: the branch's remote, or the only one. */
  remote?: string
  /**
   * Overwrites the remote's branch, but only if it is still at this commit, which the user has seen and confirmed.
   */
  overwrites?: string
}

/** Pushes the current branch, and makes the remote's branch its upstream if it has none. */
export async function push(
  repository: OpenRepository,
  { remote, overwrites }: PushRequest,
  run: RemoteRun,
): Promise<void> {
  const branch = await requireBranch(repository)
  const configured = await remoteOf(repository, branch)
  const merge = await repository.maybe(['config', '--get', `branch.${branch}.merge`])
  const target = remote ?? (configured || (await onlyRemote(repository)))
  await requireRemote(repository, target)
  const followed = target === configured && merge ? merge : undefined
  const destination = followed ?? `refs/heads/${branch}`
  if (overwrites !== undefined && !/^[0-9a-f]{40,64}$/.test(overwrites))
    throw new CodedError('request.invalid', 'Overwriting a branch needs the full hash of the commit it is at.')
  await repository.write(
    [
      'push',
      '--progress',
      ...(followed === undefined && !configured ? ['--set-upstream'] : []),
      ...(overwrites === undefined ? [] : [`--force-with-lease=${destination}:${overwrites}`]),
      '--',
      target,
      `refs/heads/${branch}:${destination}`,
    ],
    run,
  )
}

async function remoteOf(repository: OpenRepository, branch: string): Promise<string | undefined> {
  return repository.maybe(['config', '--get', `branch.${branch}.remote`])
}

/** The remote of the current branch, or the only one. */
export async function targetRemote(repository: OpenRepository): Promise<string> {
  const branch = await currentBranch(repository)
  const configured = branch === undefined ? undefined : await remoteOf(repository, branch)
  const remote = configured || (await onlyRemote(repository))
  await requireRemote(repository, remote)
  return remote
}

async function requireBranch(repository: OpenRepository): Promise<string> {
  const branch = await currentBranch(repository)
  if (branch === undefined)
    throw new CodedError('git.no_upstream', 'No branch is checked out. Create one for these commits first.')
  return branch
}

async function onlyRemote(repository: OpenRepository): Promise<string> {
  const remotes = (await repository.text(['remote'])).split('\n').filter((name) => name !== '')
  const chosen = remotes.includes('origin') ? 'origin' : remotes[0]
  if (chosen === undefined)
    throw new CodedError(
      'git.no_upstream',
      'The repository has no remote. Add one in a terminal: git remote add origin ADDRESS.',
    )
  return chosen
}

async function requireRemote(repository: OpenRepository, remote: string): Promise<void> {
  const remotes = (await repository.text(['remote'])).split('\n')
  if (!remotes.includes(remote)) throw new CodedError('git.not_found', `There is no remote ${remote}.`)
}
