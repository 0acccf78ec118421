import { existsSync, lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { CodedError } from '../../../shared/errors'
import { makeWorktreesFolder, writeWorktree, type WorktreeRecord } from '../config/worktree-record'
import { findRepository, type Repository } from '../git/run/find-repository'
import type { OpenRepository } from '../git/repository/open-repository'
import { freeBranch } from './branch-name'
import { copyAll } from './files/copy-files'
import { keepRef, makeKeep } from './files/keep'
import { asideOf, copyTest, finishRemoval, isWorkingTree, mainOf, putBack } from './remove-worktree'
import { requireOurs } from './our-worktree'
import { writeFiles } from './files/saved-files'
import { holdsVersions, takeSnapshot } from './files/snapshot'
import type { WorktreePlace } from './worktree-place'

export interface RestoredWorktree {
  record: WorktreeRecord
  notes: string[]
}

/** Restores a removed worktree in the same folder, with its commit, files and staged changes. */
export async function restoreWorktree(place: WorktreePlace, record: WorktreeRecord): Promise<RestoredWorktree> {
  const { home } = place
  const { removed } = record
  if (record.state !== 'removed' || !removed)
    throw new CodedError('worktree.not_found', `The worktree ${record.id} is not removed.`)
  const main = await place.open(mainOf(record))
  return place.exclusively(record.commonDir, async () => {
    makeWorktreesFolder(home)
    if (lstatSync(record.folder, { throwIfNoEntry: false }) && !isEmpty(record.folder))
      throw new CodedError('worktree.taken', `There is something at ${record.folder}.`)
    const notes: string[] = []
    const { args, branch } = await checkoutOf(main, record, notes)
    const isKept = (await main.maybe(['cat-file', '-e', `${removed.keep}^{commit}`])) !== undefined
    if (!isKept && removed.patch === undefined && removed.files > 0)
      throw new CodedError('git.not_found', `The repository no longer has ${keepRef(record.id)}.`)
    writeWorktree(home, { ...record, state: 'creating' })
    try {
      await main.write(['worktree', 'add', ...args])
      const found = findRepository(realpathSync(record.folder))
      if (!found || found.commonDir !== record.commonDir) throw new CodedError('git.failed', 'git made no worktree.')
      const worktree = await place.open(found)
      if (isKept) {
        await writeFiles(worktree, removed.commit, removed.keep)
        if (removed.index && (await holdsVersions(worktree, removed.index)))
          notes.push(`Files had conflicts: all versions of them are in the commit ${removed.index}.`)
        else if (removed.index) {
          await worktree.write(['read-tree', removed.index], { okCodes: [0, 128] })
          await worktree.write(['update-index', '-q', '--refresh'], { okCodes: [0, 1] })
        }
      } else if (removed.patch !== undefined && removed.files > 0) {
        await worktree.write(['apply', '--binary', '--whitespace=nowarn', '--', removed.patch])
        notes.push('The files come from the patch, so nothing is staged any longer.')
      }
      const again = copyAgain(found.top, record, notes)
      const { removed: _, branch: _before, ...rest } = record
      const next: WorktreeRecord = {
        ...rest,
        ...(branch !== undefined && { branch }),
        copied: { ...record.copied, ...again },
        state: 'ready',
        gitDir: found.gitDir,
      }
      writeWorktree(home, next)
      return { record: next, notes }
    } catch (error) {
      if (lstatSync(record.folder, { throwIfNoEntry: false }) && findRepository(record.folder)?.top === record.folder)
        await main.write(['worktree', 'remove', '--force', '--', record.folder], { okCodes: [0, 128] })
      writeWorktree(home, record)
      throw error
    }
  })
}

/** Copies the files that were not saved because the project had the same ones. */
function copyAgain(to: string, { main, removed }: WorktreeRecord, notes: string[]): Record<string, string> {
  const { copied, skipped } = copyAll({ from: main, to, like: removed!.commit }, removed!.copies ?? [])
  if (skipped.length > 0)
    notes.push(`The project no longer has ${skipped.slice(0, 10).join(', ')}, so it was not copied again.`)
  return copied
}

/** How to check out its commit again. A branch that has moved on, or is checked out elsewhere, is left alone. */
async function checkoutOf(
  main: OpenRepository,
  { folder, branch, removed }: WorktreeRecord,
  notes: string[],
): Promise<{ args: string[]; branch?: string }> {
  const commit = removed!.commit
  if (branch === undefined) return { args: ['--detach', '--', folder, commit] }
  const ref = `refs/heads/${branch}`
  const tip = await main.maybe(['rev-parse', '--verify', '--quiet', ref])
  const isUsed = (await main.text(['worktree', 'list', '--porcelain'])).split('\n').includes(`branch ${ref}`)
  if (tip === commit && !isUsed) return { args: ['--', folder, branch], branch }
  if (tip === undefined) {
    const free = await freeBranch(main, '', branch)
    return { args: ['--no-track', '-b', free, '--', folder, commit], branch: free }
  }
  const free = await freeBranch(main, '', `${branch}-restored`)
  notes.push(`${branch} ${isUsed ? 'is checked out elsewhere' : 'has other commits by now'}, so the branch is ${free}.`)
  return { args: ['--no-track', '-b', free, '--', folder, commit], branch: free }
}

/** Completes or rolls back what a process left unfinished when it died. */
export async function recoverWorktree(place: WorktreePlace, record: WorktreeRecord): Promise<WorktreeRecord> {
  const { home } = place
  const aside = asideOf(record)
  if (record.state === 'removing' || (record.state === 'ready' && existsSync(aside))) {
    // Not everything was saved.
    if (existsSync(aside) && !isWorkingTree(record.folder)) putBack(record)
    const next: WorktreeRecord = { ...record, state: 'ready' }
    writeWorktree(home, next)
    return next
  }
  if (record.state === 'removed' && existsSync(aside)) return finishRemoval(place, record)
  if (record.state === 'creating') {
    if (record.removed) {
      // An interrupted restore may have created part of it; the saved state still exists.
      if (existsSync(record.folder) && record.gitDir !== undefined) {
        const main = await place.open(mainOf(record))
        const half = findRepository(record.folder)
        if (half?.top === record.folder && half.commonDir === record.commonDir) {
          await keepEdits(place, record, half)
          await main.write(['worktree', 'remove', '--force', '--', record.folder], { okCodes: [0, 128] })
        }
      }
      const next: WorktreeRecord = { ...record, state: 'removed' }
      writeWorktree(home, next)
      return next
    }
    const found = findRepository(record.folder)
    if (found?.top !== record.folder) return record
    const next: WorktreeRecord = { ...record, state: 'ready', gitDir: record.gitDir ?? found.gitDir }
    requireOurs(next)
    writeWorktree(home, next)
    return next
  }
  return record
}

/** Keeps changes made in a partly restored worktree under a separate ref. */
async function keepEdits(place: WorktreePlace, record: WorktreeRecord, half: Repository): Promise<void> {
  const worktree = await place.open(half)
  const { temporary, now, log } = place
  const snapshot = await takeSnapshot(worktree, { temporary, ignored: true, isCopy: copyTest(record, new Set()) })
  const { commit, keep } = record.removed!
  const known = await Promise.all([commit, keep].map((name) => worktree.maybe(['rev-parse', `${name}^{tree}`])))
  if (snapshot.index === undefined && known.includes(snapshot.tree)) return
  const name = `${record.id}-${now()}`
  await makeKeep(worktree, name, snapshot)
  log(`The worktree ${record.id} was restored in part and changed since; its files are kept under ${keepRef(name)}.`)
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch {
    return false
  }
}

/** Permanently deletes the saved state of a removed worktree. */
export async function purgeWorktree(place: WorktreePlace, record: WorktreeRecord): Promise<void> {
  if (record.state !== 'removed' || !record.removed)
    throw new CodedError('worktree.not_found', `The worktree ${record.id} is not removed.`)
  if (existsSync(record.commonDir)) {
    const main = await place.open(mainOf(record))
    await main.write(['update-ref', '-d', keepRef(record.id), record.removed.keep], { okCodes: [0, 1, 128] })
  }
  if (record.removed.patch !== undefined) rmSync(record.removed.patch, { force: true })
}
