import { CodedError } from '../../../../shared/errors'
import type { GitBranch, GitSwitched } from '../../../../shared/model/project/git'
import { currentBranch, headCommit } from '../repository/current-branch'
import type { OpenRepository } from '../repository/open-repository'
import { requireNothingInTheWay } from './in-the-way'

const MAX_BRANCHES = 1_000
const FIELDS = [
  'refname',
  'objectname',
  'committerdate:unix',
  'upstream:short',
  'upstream:track,nobracket',
  'worktreepath',
  'HEAD',
  'contents:subject',
  'symref',
]

/** Local and remote branches, latest commits first. */
export async function listBranches(repository: OpenRepository): Promise<GitBranch[]> {
  const format = FIELDS.map((field) => `%(${field})`).join('%00')
  const text = await repository.text([
    'for-each-ref',
    `--format=${format}`,
    '--sort=-committerdate',
    `--count=${MAX_BRANCHES}`,
    'refs/heads',
    'refs/remotes',
  ])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => branchOf(line.split('\0'), repository.top))
}

function branchOf(fields: readonly string[], top: string): GitBranch[] {
  const [ref = '', commit = '', at, upstream = '', track = '', worktree = '', head, subject = '', symref = ''] = fields
  // origin/HEAD is only an alias of another branch.
  if (symref !== '') return []
  const remote = ref.startsWith('refs/remotes/')
  const ahead = Number(/ahead (\d+)/.exec(track)?.[1] ?? 0)
  const behind = Number(/behind (\d+)/.exec(track)?.[1] ?? 0)
  return [
    {
      name: ref.replace(/^refs\/(?:heads|remotes)\//, ''),
      ref,
      remote,
      current: head === '*',
      commit,
      subject,
      at: Number(at) * 1_000,
      ...(upstream !== '' && { upstream }),
      ...(upstream !== '' && track !== 'gone' && { ahead, behind }),
      ...(track === 'gone' && { gone: true as const }),
      ...(worktree !== '' && worktree !== top && { worktree }),
    },
  ]
}

/** The full hash of the commit that a name stands for. Throws `git.not_found`. */
export async function commitOf(repository: OpenRepository, name: string): Promise<string> {
  const hash = await repository.maybe(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
  if (hash === undefined || hash === '') throw new CodedError('git.not_found', `There is no commit ${name}.`)
  return hash
}

/** Throws `git.bad_name` unless git accepts it as a branch. */
async function requireBranchName(repository: OpenRepository, name: string): Promise<void> {
  const valid = await repository.maybe(['check-ref-format', '--branch', name])
  // Names such as @{-1} resolve to others.
  if (valid !== name) throw new CodedError('git.bad_name', `${JSON.stringify(name)} is no name for a branch.`)
}

export interface NewBranch {
  name: string
  /** A commit, branch or tag. Default: what is checked out. */
  from?: string
  /** Whether to switch to it. */
  checkout: boolean
  upstream?: string
}

export async function createBranch(
  repository: OpenRepository,
  { name, from, checkout, upstream }: NewBranch,
): Promise<void> {
  await requireBranchName(repository, name)
  const isUnborn = from === undefined && (await headCommit(repository)) === undefined
  const start = isUnborn ? undefined : await commitOf(repository, from ?? 'HEAD')
  if (!checkout) {
    if (start === undefined) throw new CodedError('git.nothing', 'There is no commit yet: a branch needs one.')
    await repository.write(['branch', '--no-track', name, start])
  } else {
    if (start !== undefined) await requireNothingInTheWay(repository, start)
    await repository.write([
      'switch',
      '--quiet',
      '--no-track',
      '--create',
      name,
      ...(start === undefined ? [] : [start]),
    ])
  }
  if (upstream !== undefined) await repository.write(['branch', `--set-upstream-to=${upstream}`, name])
}

/** Checks out a branch by its full name, or a commit by its hash. */
export async function switchTo(repository: OpenRepository, to: string): Promise<GitSwitched> {
  const before = (await currentBranch(repository)) === undefined ? await headCommit(repository) : undefined
  await (to.startsWith('refs/') ? switchBranch(repository, to) : switchToCommit(repository, to))
  return before === undefined || (await isKept(repository, before))
    ? {}
    : { left: { hash: before, subject: await repository.text(['log', '-1', '--format=%s', before]) } }
}

/** Whether a branch, a tag or HEAD contains the commit. */
async function isKept(repository: OpenRepository, commit: string): Promise<boolean> {
  const refs = ['refs/heads', 'refs/remotes', 'refs/tags']
  if ((await repository.text(['for-each-ref', '--count=1', `--contains=${commit}`, ...refs])) !== '') return true
  return (await repository.maybe(['merge-base', '--is-ancestor', commit, 'HEAD'])) !== undefined
}

/**
 * Checks out a branch. A remote branch gets a local branch that tracks it. Changes without conflicts are kept.
 */
async function switchBranch(repository: OpenRepository, ref: string): Promise<void> {
  const local = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  const remote = /^refs\/remotes\/(.+)$/.exec(ref)?.[1]
  if (local === undefined && remote === undefined)
    throw new CodedError('request.invalid', `${ref} is no branch: give its full name.`)
  const target = await commitOf(repository, ref)
  await requireNothingInTheWay(repository, target)
  if (local !== undefined) {
    await repository.write(['switch', '--quiet', '--no-guess', local])
    return
  }
  const remotes = (await repository.text(['remote'])).split('\n')
  const owner = remotes.filter((name) => remote!.startsWith(`${name}/`)).toSorted((a, b) => b.length - a.length)[0]
  const name = owner === undefined ? remote! : remote!.slice(owner.length + 1)
  const exists = (await repository.maybe(['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== undefined
  if (exists) {
    await requireNothingInTheWay(repository, await commitOf(repository, `refs/heads/${name}`))
    await repository.write(['switch', '--quiet', '--no-guess', name])
    return
  }
  await repository.write(['switch', '--quiet', '--create', name, '--track', remote!])
}

/** Checks out a commit without a branch. */
async function switchToCommit(repository: OpenRepository, commit: string): Promise<void> {
  const target = await commitOf(repository, commit)
  await requireNothingInTheWay(repository, target)
  await repository.write(['switch', '--quiet', '--detach', target])
}

export async function renameBranch(repository: OpenRepository, name: string, to: string): Promise<void> {
  await requireBranchName(repository, name)
  await requireBranchName(repository, to)
  await repository.write(['branch', '--move', name, to])
}

/** What is needed to recreate the branch. */
export interface DeletedBranch {
  name: string
  commit: string
  upstream?: string
}

/** `force`: even if it has commits that no other branch has. */
export async function deleteBranch(repository: OpenRepository, name: string, force: boolean): Promise<DeletedBranch> {
  await requireBranchName(repository, name)
  const commit = await commitOf(repository, `refs/heads/${name}`)
  const upstream = await repository.maybe(['rev-parse', '--abbrev-ref', `${name}@{upstream}`])
  await repository.write(['branch', '--delete', ...(force ? ['--force'] : []), name])
  return { name, commit, ...(upstream !== undefined && upstream !== '' && { upstream }) }
}
