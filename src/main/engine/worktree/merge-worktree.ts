import { CodedError } from '../../../shared/errors'
import type { MergeResult, MergeWay } from '../../../shared/model/project/worktree'
import type { WorktreeRecord } from '../config/worktree-record'
import { addToIndex } from '../git/change/staging'
import { commitOf } from '../git/change/branches'
import { requireNothingInTheWay } from '../git/change/in-the-way'
import { findRepository } from '../git/run/find-repository'
import { operationOf } from '../git/run/git-files'
import { currentBranch } from '../git/repository/current-branch'
import type { OpenRepository } from '../git/repository/open-repository'
import { keepStaged } from './files/keep'
import { requireOurs } from './our-worktree'
import { rawPaths, shownPath } from '../git/run/plain-path'
import { stagedTree } from './files/snapshot'
import { removeCheckout, temporaryCheckout } from './temporary-checkouts'
import type { WorktreePlace } from './worktree-place'

/** Regardless of the user's Git settings, nothing is stashed, and only the named branch is moved. */
const PLAIN = ['-c', 'merge.autoStash=false', '-c', 'rebase.autoStash=false', '-c', 'rebase.updateRefs=false']

export interface MergeOptions {
  way: MergeWay
  /** The branch to merge into; absent: the one that the worktree started from. */
  into?: string
  /** Message for a commit of all uncommitted changes, made first. Absent: fails if there are any. */
  commit?: string
  /** The message of a merge or squash. */
  message?: string
  /** For updates: leaves conflicts in the worktree, to be resolved there. */
  keepConflicts?: boolean
}

/**
 * Merges the branch of a worktree into its base. The base's checkout is changed only if it has no uncommitted changes;
 * with conflicts, nothing changes.
 */
export async function mergeWorktree(
  place: WorktreePlace,
  record: WorktreeRecord,
  options: MergeOptions,
): Promise<MergeResult> {
  return prepared(place, record, options, async (worktree, branch, base) => {
    const tip = await commitOf(worktree, 'HEAD')
    const before = await commitOf(worktree, `refs/heads/${base}`)
    if ((await worktree.maybe(['merge-base', '--is-ancestor', tip, before])) !== undefined) return { state: 'nothing' }
    const checkout = await checkoutOf(worktree, base)
    if (checkout !== undefined) await requireClean(await openedAt(place, checkout), base)
    if (options.way === 'rebase') {
      const conflicts = await rebased(worktree, before, options.keepConflicts ?? false)
      if (conflicts) return conflicts
      return moveBase(place, worktree, {
        base,
        before,
        checkout,
        args: ['merge', '--quiet', '--ff-only', `refs/heads/${branch}`],
      })
    }
    const message = options.message?.trim() || messageOf(options.way, branch, base)
    const result = await mergedInto(place, worktree, { ...options, branch, base, before, checkout, message })
    // The base has the changes as a new commit, so the worktree's branch moves to it.
    if (result.state === 'done' && options.way === 'squash') {
      await requireNothingInTheWay(worktree, result.commit)
      await worktree.write(['reset', '--quiet', '--keep', result.commit])
    }
    return result
  })
}

/** Brings the base's new commits into the worktree, by merge or rebase. */
export async function updateWorktree(
  place: WorktreePlace,
  record: WorktreeRecord,
  options: MergeOptions,
): Promise<MergeResult> {
  return prepared(place, record, options, async (worktree, branch, base) => {
    const before = await commitOf(worktree, `refs/heads/${base}`)
    if ((await worktree.maybe(['merge-base', '--is-ancestor', before, 'HEAD'])) !== undefined)
      return { state: 'nothing' }
    const keep = options.keepConflicts ?? false
    if (options.way === 'rebase') {
      const conflicts = await rebased(worktree, before, keep)
      if (conflicts) return conflicts
    } else {
      await requireNothingInTheWay(worktree, before)
      const message = options.message?.trim() || `Merge branch '${base}' into ${branch}`
      const conflicts = await attempt(worktree, [
        ...PLAIN,
        'merge',
        '--quiet',
        '--no-ff',
        '-m',
        message,
        `refs/heads/${base}`,
      ])
      if (conflicts) {
        if (!keep) await worktree.write(['merge', '--abort'])
        return { state: 'conflicts', files: conflicts, kept: keep }
      }
    }
    return { state: 'done', commit: await commitOf(worktree, 'HEAD'), into: branch }
  })
}

async function prepared(
  place: WorktreePlace,
  record: WorktreeRecord,
  { into, commit }: MergeOptions,
  work: (worktree: OpenRepository, branch: string, base: string) => Promise<MergeResult>,
): Promise<MergeResult> {
  const found = requireOurs(record)
  return place.exclusively(found.commonDir, async () => {
    const worktree = await place.open(found)
    const operation = operationOf(found)
    if (operation) throw new CodedError('worktree.operation', `A ${operation.kind} is in progress in ${record.folder}.`)
    const branch = await currentBranch(worktree)
    if (branch === undefined) throw new CodedError('git.not_found', 'No branch is checked out in the worktree.')
    const base = into ?? record.base
    if (base === undefined)
      throw new CodedError('git.not_found', 'It started from a commit: name the branch to merge into.')
    if (base === branch) throw new CodedError('request.invalid', `The worktree itself is on ${base}.`)
    await commitOf(worktree, `refs/heads/${base}`)
    if (commit !== undefined && (await isDirty(worktree))) {
      if (commit.trim() === '') throw new CodedError('request.invalid', 'The commit needs a message.')
      await stageAll(worktree, record.id)
      await worktree.write(['commit', '--quiet', '--cleanup=whitespace', '--file=-'], { input: commit })
    } else if (await isDirty(worktree))
      throw new CodedError('worktree.dirty', `${record.folder} has uncommitted changes.`)
    return work(worktree, branch, base)
  })
}

/** Stages everything; keeps what was staged if the files have changed since. */
async function stageAll(worktree: OpenRepository, id: string): Promise<void> {
  const before = await stagedTree(worktree)
  await addToIndex(worktree)
  const isKnown =
    before === (await stagedTree(worktree)) || before === (await worktree.text(['rev-parse', 'HEAD^{tree}']))
  if (!isKnown) await keepStaged(worktree, id, before)
}

interface Merge extends MergeOptions {
  branch: string
  base: string
  before: string
  checkout: string | undefined
  message: string
}

/** Merges in the checkout of the base, or in a temporary one. */
async function mergedInto(place: WorktreePlace, worktree: OpenRepository, merge: Merge): Promise<MergeResult> {
  const { base, checkout, before } = merge
  if (checkout !== undefined) {
    const there = await openedAt(place, checkout)
    const conflicts = await mergedHere(there, merge, [])
    return conflicts ?? { state: 'done', commit: await commitOf(there, 'HEAD'), into: base }
  }
  const folder = temporaryCheckout(place.home)
  try {
    await worktree.write(['worktree', 'add', '--quiet', '--detach', '--', folder, before])
    const there = await openedAt(place, folder)
    // Hooks usually need installed dependencies, which this folder does not have.
    const conflicts = await mergedHere(there, merge, ['--no-verify'])
    if (conflicts) return conflicts
    const commit = await commitOf(there, 'HEAD')
    await worktree.write(['update-ref', '-m', `merge ${merge.branch}`, `refs/heads/${base}`, commit, before])
    return { state: 'done', commit, into: base }
  } finally {
    await removeCheckout(place, worktree, folder)
  }
}

async function mergedHere(
  there: OpenRepository,
  { way, branch, message }: Merge,
  options: readonly string[],
): Promise<MergeResult | undefined> {
  const ref = `refs/heads/${branch}`
  await requireNothingInTheWay(there, ref)
  if (way === 'squash') {
    const conflicts = await attempt(there, [...PLAIN, 'merge', '--quiet', '--squash', ref])
    if (conflicts) {
      await there.write(['reset', '--quiet', '--merge'])
      return { state: 'conflicts', files: conflicts, kept: false }
    }
    if ((await there.maybe(['diff-index', '--cached', '--quiet', 'HEAD'])) !== undefined) return { state: 'nothing' }
    try {
      await there.write(['commit', '--quiet', ...options, '-m', message])
    } catch (error) {
      await there.write(['reset', '--quiet', '--merge'])
      throw error
    }
    return undefined
  }
  let conflicts: string[] | undefined
  try {
    conflicts = await attempt(there, [...PLAIN, 'merge', '--quiet', '--no-ff', ...options, '-m', message, ref])
  } catch (error) {
    if (operationOf(there)?.kind === 'merge') await there.write(['merge', '--abort'])
    throw error
  }
  if (!conflicts) return undefined
  await there.write(['merge', '--abort'])
  return { state: 'conflicts', files: conflicts, kept: false }
}

async function rebased(worktree: OpenRepository, onto: string, keep: boolean): Promise<MergeResult | undefined> {
  await requireNothingInTheWay(worktree, onto, { alsoReplayed: true })
  let conflicts: string[] | undefined
  try {
    conflicts = await attempt(worktree, [...PLAIN, 'rebase', '--quiet', '--no-autostash', onto])
  } catch (error) {
    if (operationOf(worktree)?.kind === 'rebase') await worktree.write(['rebase', '--abort'])
    throw error
  }
  if (!conflicts) return undefined
  if (!keep) await worktree.write(['rebase', '--abort'])
  return { state: 'conflicts', files: conflicts, kept: keep }
}

/** Fast-forwards the base to the tip of the branch. */
async function moveBase(
  place: WorktreePlace,
  worktree: OpenRepository,
  { base, before, checkout, args }: { base: string; before: string; checkout: string | undefined; args: string[] },
): Promise<MergeResult> {
  const commit = await commitOf(worktree, 'HEAD')
  if (checkout === undefined)
    await worktree.write(['update-ref', '-m', 'merge: fast-forward', `refs/heads/${base}`, commit, before])
  else {
    const there = await openedAt(place, checkout)
    await requireNothingInTheWay(there, commit)
    await there.write([...PLAIN, ...args])
  }
  return { state: 'done', commit, into: base }
}

/** Runs a command. Returns the files with conflicts if it stopped because of them. */
async function attempt(repository: OpenRepository, args: readonly string[]): Promise<string[] | undefined> {
  try {
    await repository.write(args)
    return undefined
  } catch (error) {
    const files = await conflictsIn(repository)
    if (files.length > 0) return files
    throw error
  }
}

/** Files with conflicts, relative to the top. */
export async function conflictsIn(repository: OpenRepository): Promise<string[]> {
  const { stdout } = await repository.read(['ls-files', '--unmerged', '-z'])
  return [...new Set(rawPaths(stdout).map((line) => shownPath(line.slice(line.indexOf('\t') + 1))))]
}

/** The working tree in which a branch is checked out. */
async function checkoutOf(repository: OpenRepository, branch: string): Promise<string | undefined> {
  const text = await repository.text(['worktree', 'list', '--porcelain', '-z'])
  for (const entry of text.split('\0\0')) {
    const lines = entry.split('\0')
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length)
    if (lines.includes(`branch refs/heads/${branch}`) && folder !== undefined) return folder
  }
  return undefined
}

async function openedAt(place: WorktreePlace, folder: string): Promise<OpenRepository> {
  const found = findRepository(folder)
  if (!found) throw new CodedError('git.not_found', `The working tree ${folder} does not exist.`)
  return place.open(found)
}

async function requireClean(there: OpenRepository, base: string): Promise<void> {
  const operation = operationOf(there)
  if (operation) throw new CodedError('worktree.base_dirty', `A ${operation.kind} is in progress in ${there.top}.`)
  const { stdout } = await there.read(['status', '--porcelain=v1', '-z', '--untracked-files=no'])
  if (stdout.length > 0)
    throw new CodedError(
      'worktree.base_dirty',
      `${base} is checked out in ${there.top}, which has uncommitted changes.`,
    )
}

/** Whether anything is uncommitted, new files included. */
async function isDirty(repository: OpenRepository): Promise<boolean> {
  return (await repository.read(['status', '--porcelain=v1', '-z', '--untracked-files=normal'])).stdout.length > 0
}

function messageOf(way: MergeWay, branch: string, base: string): string {
  return way === 'squash' ? `${subjectOf(branch)}\n\nSquashed from ${branch}.` : `Merge branch '${branch}' into ${base}`
}

/** `trestle/fix-login-form` as a subject: `Fix login form`. */
function subjectOf(branch: string): string {
  const words = branch.split('/').at(-1)!.replaceAll(/[-_]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
