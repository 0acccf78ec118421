import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { MovedProject } from '../../../shared/model/place/move'
import { requireNothingInTheWay } from '../git/change/in-the-way'
import { findRepository } from '../git/run/find-repository'
import { currentBranch, headCommit } from '../git/repository/current-branch'
import { openRepository, type OpenRepository } from '../git/repository/open-repository'
import { createRunGit, type RunGit } from '../git/run/run-git'
import { writeFiles } from '../worktree/files/saved-files'
import { holdsVersions, takeSnapshot } from '../worktree/files/snapshot'
import type { WorktreePlace } from '../worktree/worktree-place'

/** Our commits do not need the user's name. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'Trestle',
  GIT_AUTHOR_EMAIL: 'trestle@localhost',
  GIT_COMMITTER_NAME: 'Trestle',
  GIT_COMMITTER_EMAIL: 'trestle@localhost',
}

export interface BundleDeps {
  home: string
  place: Pick<WorktreePlace, 'open' | 'env' | 'temporary'>
}

/**
 * Writes a bundle with the checked-out commit and, as a commit of ours, everything uncommitted. Undefined if the folder
 * is not in a repository with a commit.
 */
export async function bundleProject(
  { place }: BundleDeps,
  folder: string,
  moveId: string,
  file: string,
): Promise<MovedProject | undefined> {
  const found = findRepository(folder)
  if (!found || found.bare) return undefined
  const repository = await place.open(found)
  if ((await headCommit(repository)) === undefined) return undefined
  const state = await stateOf(repository, place.temporary)
  const kept = await keep(repository, moveId, state)
  try {
    await repository.write(['bundle', 'create', '--quiet', file, kept])
  } finally {
    await repository.write(['update-ref', '-d', kept])
  }
  const { files: _files, versions: _versions, ...project } = state
  return { ...project, folder: relative(realpathSync(found.top), realpathSync(folder)) }
}

/** Whether there are any files, ignored ones included. */
async function hasFiles(repository: OpenRepository): Promise<boolean> {
  return (await repository.read(['ls-files', '--cached', '--others', '-z'])).stdout.length > 0
}

/**
 * The current state of a repository. `files`: how many differ from the commit; `versions`: a tree with all versions of
 * files with conflicts, instead of an index.
 */
type ProjectState = Omit<MovedProject, 'folder'> & { files: number; versions?: string }

async function stateOf(repository: OpenRepository, temporary: string): Promise<ProjectState> {
  const { commit, tree, index, files } = await takeSnapshot(repository, { temporary, ignored: false })
  const branch = await currentBranch(repository)
  // A snapshot has no separate index if all changes are staged, or none.
  const { code } = await repository.read(['diff-index', '--cached', '--quiet', commit], { okCodes: [0, 1] })
  const versions = index !== undefined && (await holdsVersions(repository, index)) ? index : undefined
  const staged = versions === undefined ? (index ?? (code === 1 ? tree : undefined)) : undefined
  return {
    commit,
    tree,
    files,
    ...(staged !== undefined && { index: staged }),
    ...(versions !== undefined && { versions }),
    ...(branch !== undefined && { branch }),
  }
}

function refOf(moveId: string): string {
  return `refs/trestle/moves/${moveId}`
}

/** Creates a ref to a commit with all files, whose parents are the checked-out commit and the staged state. */
async function keep(
  repository: OpenRepository,
  moveId: string,
  { commit, tree, versions, index = versions }: ProjectState,
): Promise<string> {
  const commitOf = async (of: string, parents: readonly string[]): Promise<string> => {
    const args = ['commit-tree', of, ...parents.flatMap((parent) => ['-p', parent])]
    return (await repository.write(args, { env: AUTHOR, input: `Moved by Trestle: ${moveId}\n` })).stdout
      .toString('latin1')
      .trim()
  }
  const staged = index === undefined ? [] : [await commitOf(index, [commit])]
  const ref = refOf(moveId)
  await repository.write(['update-ref', ref, await commitOf(tree, [commit, ...staged])])
  return ref
}

/** What is known about the project at its target. */
export interface ProjectTarget {
  moveId: string
  /** The top of the repository. */
  top: string
  project: MovedProject
  /** The state of the project here when the session left; undefined: it was never here. */
  before: MovedProject | undefined
  bundle: string
}

/**
 * Unpacks the project into its folder. Creates a repository, or updates one whose files are unchanged since the session
 * left or that has no uncommitted changes. The previous state stays reachable under `refs/trestle/moves/`. Returns
 * `present` if all files are already up to date.
 */
export async function unpackProject(
  deps: BundleDeps,
  target: ProjectTarget,
): Promise<{ state: 'written' | 'present'; notes: string[] }> {
  const { top, project, moveId, bundle } = target
  const found = existsSync(top) ? findRepository(top) : undefined
  if (!found || (realpathSync(found.top) !== realpathSync(top) && isEmpty(top)))
    return { state: 'written', notes: await makeRepository(deps, top, target) }
  if (realpathSync(found.top) !== realpathSync(top))
    throw new CodedError('move.folder', `${top} is a folder inside the repository ${found.top}.`)
  const repository = await deps.place.open(found)
  const now = await presentState(repository, deps)
  if (now && isSame(now, project)) return { state: 'present', notes: [] }
  if (now && !isAllowed(now, target.before))
    throw new CodedError('move.files_changed', `${top} has changes that are not part of the session.`)
  if (!now && (await hasFiles(repository)))
    throw new CodedError('move.files_changed', `${top} has files, and no commit that has them.`)
  await fetchBundle(repository, moveId, bundle)
  // Ignored files are not in snapshots.
  if (now) await requireNothingInTheWay(repository, project.tree, { since: now.tree, saved: now.tree })
  if (now) await repository.write(['update-ref', `${refOf(moveId)}-before`, now.commit])
  const notes = await checkOut(repository, project, now)
  return { state: 'written', notes }
}

/** The top of the repository, for a session in the folder `inside` of it. */
export function topOf(folder: string, inside: string): string {
  return inside === '' ? folder : inside.split('/').reduce((at) => dirname(at), folder)
}

async function makeRepository(deps: BundleDeps, top: string, target: ProjectTarget): Promise<string[]> {
  if (existsSync(top) && !isEmpty(top))
    throw new CodedError('move.folder', `${top} has files, and is not a clone of the project.`)
  const isNew = !existsSync(top)
  mkdirSync(top, { recursive: true })
  try {
    const run = await runner(deps)
    await run({ args: ['init', '--quiet'], level: 'trusted', folder: top, write: true })
    const found = findRepository(top)
    if (!found) throw new CodedError('git.failed', `git made no repository in ${top}.`)
    const repository = openRepository(found, run)
    await fetchBundle(repository, target.moveId, target.bundle)
    const notes = await checkOut(repository, target.project, undefined)
    return [...notes, 'The repository has the history of the commit that was checked out, and no remotes.']
  } catch (error) {
    rmSync(join(top, '.git'), { recursive: true, force: true })
    if (isNew) rmSync(top, { recursive: true, force: true })
    throw error
  }
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder).length === 0
}

async function runner({ home, place }: BundleDeps): Promise<RunGit> {
  const env = await place.env()
  const neutralFolder = join(home, 'git', 'run')
  mkdirSync(neutralFolder, { recursive: true, mode: 0o700 })
  return createRunGit({ env: () => env, neutralFolder })
}

async function presentState(repository: OpenRepository, { place }: BundleDeps): Promise<ProjectState | undefined> {
  if ((await headCommit(repository)) === undefined) return undefined
  return stateOf(repository, place.temporary)
}

function isSame(now: ProjectState, project: MovedProject): boolean {
  const isBranch = now.branch === project.branch
  return isBranch && now.commit === project.commit && now.tree === project.tree && now.index === project.index
}

function isAllowed(now: ProjectState, before: MovedProject | undefined): boolean {
  if (before && now.commit === before.commit && now.tree === before.tree && now.index === before.index) return true
  return now.files === 0 && now.index === undefined
}

/** Fetches with checks of all objects, so that no tree can contain anything that git itself would never write. */
async function fetchBundle(repository: OpenRepository, moveId: string, bundle: string): Promise<void> {
  const ref = refOf(moveId)
  await repository.write([
    '-c',
    'transfer.fsckObjects=true',
    '-c',
    'fetch.fsckObjects=true',
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--',
    bundle,
    `+${ref}:${ref}`,
  ])
}

/** Restores files, index and branch. `now`: their current state, which is already saved elsewhere. */
async function checkOut(
  repository: OpenRepository,
  { commit, branch, tree, index }: MovedProject,
  now: ProjectState | undefined,
): Promise<string[]> {
  const notes: string[] = []
  const empty = (await repository.write(['mktree'], { input: '' })).stdout.toString('latin1').trim()
  if (branch === undefined) await repository.write(['update-ref', '--no-deref', 'HEAD', commit])
  else {
    const name = await branchFor(repository, branch, commit)
    if (name !== branch) notes.push(`The branch ${branch} has other commits here, so the session continues on ${name}.`)
    await repository.write(['update-ref', `refs/heads/${name}`, commit])
    await repository.write(['symbolic-ref', 'HEAD', `refs/heads/${name}`])
  }
  await writeFiles(repository, now?.tree ?? empty, tree)
  await repository.write(['read-tree', index ?? commit])
  await repository.write(['update-index', '-q', '--refresh'], { okCodes: [0, 1] })
  return notes
}

/** The branch itself if no commit is lost, otherwise a new branch with a similar name. */
async function branchFor(repository: OpenRepository, branch: string, commit: string): Promise<string> {
  const tip = await repository.maybe(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])
  if (tip === undefined || tip === commit) return branch
  const { code } = await repository.read(['merge-base', '--is-ancestor', tip, commit], { okCodes: [0, 1, 128] })
  return code === 0 ? branch : `${branch}-moved-${randomBytes(3).toString('hex')}`
}
