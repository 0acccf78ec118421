import { headCommit } from '../git/repository/current-branch'
import { existsSync } from 'node:fs'
import { failureOf } from '../../../shared/errors'
import type { Worktree, WorktreeOffer, WorktreeStatus } from '../../../shared/model/project/worktree'
import type { WorktreeRecord } from '../config/worktree-record'
import { findRepository } from '../git/run/find-repository'
import { operationOf, readHead } from '../git/run/git-files'
import type { OpenRepository } from '../git/repository/open-repository'
import { branchWords, freeBranch } from './branch-name'
import { conflictsIn } from './merge-worktree'
import { requireOurs } from './our-worktree'
import { rawPaths } from '../git/run/plain-path'
import { setupOutput } from './setup-run'
import type { WorktreePlace } from './worktree-place'

/** A worktree as shown in lists; reads only files, without running git. */
export function viewOf(home: string, record: WorktreeRecord, sessions: Worktree['sessions']): Worktree {
  const { id, state, folder, project, base, createdAt, setup, removed } = record
  const branch = branchNow(record)
  const problem = state === 'removed' ? undefined : problemOf(record)
  return {
    worktreeId: id,
    state,
    folder,
    project,
    createdAt,
    sessions,
    ...(branch !== undefined && { branch }),
    ...(base !== undefined && { base }),
    ...(setup && { setup: { ...setup, output: setupOutput(home, id) } }),
    ...(removed && {
      removed: {
        at: removed.at,
        commit: removed.commit,
        files: removed.files,
        dropped: removed.dropped,
        ...(removed.patch !== undefined && { patch: removed.patch }),
        ...(removed.branchDeleted && { branchDeleted: true as const }),
      },
    }),
    ...(problem !== undefined && { problem }),
  }
}

/** The branch that is currently checked out, which the user may have changed. */
export function branchNow({ state, gitDir, branch }: WorktreeRecord): string | undefined {
  if (state === 'removed' || gitDir === undefined || !existsSync(gitDir)) return branch
  return readHead(gitDir).branch
}

function problemOf(record: WorktreeRecord): string | undefined {
  if (record.state === 'creating') return 'It was not finished.'
  try {
    requireOurs(record)
    return undefined
  } catch (error) {
    return failureOf(error).message
  }
}

/** A worktree compared with its base. */
export async function statusOf(place: WorktreePlace, record: WorktreeRecord, view: Worktree): Promise<WorktreeStatus> {
  const none = { changed: 0, ahead: 0, behind: 0, conflicts: [], branches: [], hasRemote: false }
  if (record.state !== 'ready') return { ...view, ...none }
  const found = requireOurs(record)
  const worktree = await place.open(found)
  const { stdout } = await worktree.read(['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'])
  const operation = operationOf(found)?.kind
  const branches = (await branchesOf(worktree)).filter((name) => name !== view.branch)
  const counts =
    record.base !== undefined && branches.includes(record.base)
      ? (await worktree.text(['rev-list', '--left-right', '--count', `refs/heads/${record.base}...HEAD`])).split(/\s+/)
      : []
  return {
    ...view,
    changed: rawPaths(stdout).length,
    behind: Number(counts[0] ?? 0),
    ahead: Number(counts[1] ?? 0),
    conflicts: await conflictsIn(worktree),
    ...(operation !== undefined && operation !== 'am' && { operation }),
    branches,
    hasRemote: (await worktree.text(['remote'])) !== '',
  }
}

/** Local branches, those with the latest commits first. */
async function branchesOf(repository: OpenRepository): Promise<string[]> {
  const text = await repository.text([
    'for-each-ref',
    '--format=%(refname:lstrip=2)',
    '--sort=-committerdate',
    '--count=1000',
    'refs/heads',
  ])
  return text.split('\n').filter((name) => name !== '')
}

/** The options for a new worktree of a folder. Problems with the folder are returned, not thrown. */
export async function offerOf(
  place: WorktreePlace,
  folder: string,
  { about, prefix, setup }: { about?: string; prefix: string; setup?: string },
): Promise<WorktreeOffer> {
  const none = { branch: '', branches: [], changed: 0 }
  const repository = findRepository(folder)
  if (!repository) return { ...none, problem: 'The folder has no Git repository.' }
  try {
    const main = await place.open(repository)
    const branches = await branchesOf(main)
    if ((await headCommit(main)) === undefined) return { ...none, problem: 'The repository has no commits yet.' }
    const current = readHead(repository.gitDir).branch
    const status = repository.bare
      ? Buffer.alloc(0)
      : (await main.read(['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--no-renames'])).stdout
    return {
      branch: await freeBranch(main, prefix, about === undefined ? undefined : branchWords(about)),
      ...(current !== undefined && { current }),
      branches,
      changed: rawPaths(status).length,
      ...(setup !== undefined && { setup }),
    }
  } catch (error) {
    const { message, advice } = failureOf(error)
    return { ...none, problem: [message, advice].join(' ').trim() }
  }
}
