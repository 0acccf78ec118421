import { CodedError } from '../../../../shared/errors'
import type { GitIntegration } from '../../../../shared/model/project/git'
import { currentBranch } from '../repository/current-branch'
import type { OpenRepository } from '../repository/open-repository'
import { operationOf } from '../run/git-files'
import { readStatus } from '../state/status'
import { commitOf } from './branches'
import { requireNothingInTheWay } from './in-the-way'

/**
 * Merges a branch (its full name), tag or commit into HEAD. Conflicts are not a failure: the merge waits until they are
 * resolved. Nothing is changed if files would be overwritten.
 */
export async function merge(repository: OpenRepository, from: string): Promise<GitIntegration> {
  requireNoOperation(repository)
  const target = await commitOf(repository, from)
  if (await isIn(repository, target)) return { outcome: 'unchanged', conflicts: 0 }
  await requireNothingInTheWay(repository, target)
  return integrated(repository, 'merge', [
    'merge',
    '--quiet',
    '--no-autostash',
    '--no-edit',
    '-m',
    await messageOf(repository, from, target),
    target,
  ])
}

/** Applies a commit on top of HEAD. Conflicts are not a failure, as for `merge`. */
export async function cherryPick(repository: OpenRepository, hash: string): Promise<GitIntegration> {
  requireNoOperation(repository)
  const commit = await commitOf(repository, hash)
  const [, ...parents] = (await repository.text(['rev-list', '--parents', '--max-count=1', commit])).split(' ')
  if (parents.length > 1)
    throw new CodedError('request.invalid', 'hash: this commit is a merge; pick the commits that it merged.')
  if (await isIn(repository, commit)) return { outcome: 'unchanged', conflicts: 0 }
  await requireNothingInTheWay(repository, commit, { since: parents[0] ?? 'none' })
  const outcome = await integrated(repository, 'cherry-pick', ['cherry-pick', '--no-edit', commit]).catch(
    async (error: unknown) => {
      // All its changes exist already.
      if (!isEmpty(error) || operationOf(repository)?.kind !== 'cherry-pick') throw error
      await repository.write(['cherry-pick', '--skip'])
      return { outcome: 'unchanged' as const, conflicts: 0 }
    },
  )
  return outcome
}

/** Runs the command; if it stops at conflicts, returns how many. */
async function integrated(
  repository: OpenRepository,
  kind: 'merge' | 'cherry-pick',
  args: readonly string[],
): Promise<GitIntegration> {
  try {
    await repository.write(args)
    return { outcome: 'done', conflicts: 0 }
  } catch (error) {
    if (operationOf(repository)?.kind !== kind) throw error
    const { conflicts } = await readStatus(repository)
    if (conflicts.length === 0) throw error
    return { outcome: 'conflicts', conflicts: conflicts.length }
  }
}

function isEmpty(error: unknown): boolean {
  return error instanceof CodedError && /is now empty|nothing to commit/.test(error.message)
}

function requireNoOperation(repository: OpenRepository): void {
  const operation = operationOf(repository)
  if (operation && operation.kind !== 'bisect')
    throw new CodedError('git.busy', `A ${operation.kind} is in progress: continue or abort it first.`)
}

async function isIn(repository: OpenRepository, commit: string): Promise<boolean> {
  const { code } = await repository.read(['merge-base', '--is-ancestor', commit, 'HEAD'], { okCodes: [0, 1, 128] })
  return code === 0
}

/** The message as git would write it, but with the plain name. */
async function messageOf(repository: OpenRepository, from: string, target: string): Promise<string> {
  const [, kind, name] = /^refs\/(heads|remotes|tags)\/(.+)$/.exec(from) ?? []
  const what =
    kind === 'heads'
      ? `branch '${name}'`
      : kind === 'remotes'
        ? `remote-tracking branch '${name}'`
        : kind === 'tags'
          ? `tag '${name}'`
          : `commit '${target.slice(0, 12)}'`
  const branch = await currentBranch(repository)
  const into = branch === undefined || ['', 'main', 'master'].includes(branch) ? '' : ` into ${branch}`
  return `Merge ${what}${into}`
}
