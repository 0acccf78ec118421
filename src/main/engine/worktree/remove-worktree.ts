import { randomBytes } from 'node:crypto'
import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorText } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import { worktreeRecords, writeWorktree, type WorktreeRecord } from '../config/worktree-record'
import { findRepository, type Repository } from '../git/run/find-repository'
import { operationOf } from '../git/run/git-files'
import { currentBranch } from '../git/repository/current-branch'
import type { OpenRepository } from '../git/repository/open-repository'
import { makeKeep } from './files/keep'
import { requireOurs, requireUnlocked } from './our-worktree'
import { plainFileHash, type RawPath } from '../git/run/plain-path'
import { writePatch } from './files/saved-files'
import { takeSnapshot } from './files/snapshot'
import type { WorktreePlace } from './worktree-place'

/** Where the folder is moved while it is saved, so that programs do not find it under its path. */
export function asideOf({ folder, id }: WorktreeRecord): string {
  return join(dirname(folder), `.removing-${id}`)
}

/**
 * Saves everything that only this worktree has, then removes it. If anything cannot be saved, or the worktree does not
 * match the record, it rejects and leaves everything unchanged.
 */
export async function removeWorktree(place: WorktreePlace, record: WorktreeRecord): Promise<WorktreeRecord> {
  const found = requireOurs(record)
  return place.exclusively(found.commonDir, async () => {
    requireUnlocked(requireOurs(record))
    const operation = operationOf(found)
    if (operation) throw new CodedError('worktree.operation', `A ${operation.kind} is in progress in ${record.folder}.`)
    // Checks whether git may run in this worktree, before anything changes.
    await place.open(found)
    const aside = asideOf(record)
    const { home } = place
    writeWorktree(home, { ...record, gitDir: found.gitDir, commonDir: found.commonDir, state: 'removing' })
    try {
      moveAside(record.folder, aside)
    } catch (error) {
      writeWorktree(home, record)
      throw error
    }
    let removed: WorktreeRecord
    try {
      removed = await saved(place, { ...record, gitDir: found.gitDir, commonDir: found.commonDir }, found)
      writeWorktree(home, removed)
    } catch (error) {
      putBack(record)
      writeWorktree(home, record)
      throw asNotSaved(error)
    }
    return finishRemoval(place, removed)
  })
}

function moveAside(folder: string, aside: string): void {
  if (lstatSync(aside, { throwIfNoEntry: false }))
    throw new CodedError('worktree.taken', `There is something at ${aside}.`)
  try {
    renameSync(folder, aside)
  } catch (error) {
    throw new CodedError('worktree.busy', `A program holds ${folder}: ${String(error)}`, { cause: error })
  }
}

/** Moves a worktree that was not saved back to its folder. */
export function putBack(record: WorktreeRecord): void {
  moveBeside(record.folder)
  renameSync(asideOf(record), record.folder)
}

/** Whether a folder is a git working tree. */
export function isWorkingTree(folder: string): boolean {
  return findRepository(folder)?.top === folder
}

/** Renames whatever a program has created at the path of a worktree that was moved aside. */
function moveBeside(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })) return
  renameSync(folder, `${folder}-found-${randomBytes(3).toString('hex')}`)
}

/**
 * Saves the files, the staged tree and the commits, and returns the record with their location. Removes nothing yet.
 */
async function saved(place: WorktreePlace, record: WorktreeRecord, found: Repository): Promise<WorktreeRecord> {
  const { home, now, temporary } = place
  const worktree = await place.open({ ...found, top: asideOf(record) })
  const copies = new Set<string>()
  const options = { temporary, ignored: true, isCopy: copyTest(record, copies) }
  const snapshot = await takeSnapshot(worktree, options)
  const { keep, index } = await makeKeep(worktree, record.id, snapshot)
  const at = now()
  const patch = join(worktreeRecords(home), `${record.id}-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}.patch`)
  if (snapshot.files > 0) await writePatch(worktree, { commit: snapshot.commit, tree: snapshot.tree, file: patch })
  // Catches writes in the meantime through files that were already open.
  const again = await takeSnapshot(worktree, options)
  if (again.tree !== snapshot.tree || again.commit !== snapshot.commit || again.index !== snapshot.index)
    throw new CodedError('worktree.busy', 'Something still writes files in it.')
  const branch = await currentBranch(worktree)
  const { branch: _, ...rest } = record
  return {
    ...rest,
    ...(branch !== undefined && { branch }),
    state: 'removed',
    removed: {
      at,
      commit: snapshot.commit,
      keep,
      ...(index && { index }),
      files: snapshot.files,
      ...(snapshot.files > 0 && { patch }),
      dropped: snapshot.dropped,
      ...(copies.size > 0 && { copies: [...copies] }),
    },
  }
}

/**
 * Whether a file was copied from the project and is still the same in both, so that it need not be saved. If the
 * original was changed or deleted, the copy is the only one left. Adds the copies it finds to `copies`.
 */
export function copyTest(
  { copied, main }: WorktreeRecord,
  copies: Set<string>,
): (path: RawPath, hash: string) => boolean {
  return (path, hash) => {
    const isCopy = copied[path] === hash && plainFileHash(main, path, hash) === hash
    if (isCopy) copies.add(path)
    else copies.delete(path)
    return isCopy
  }
}

/** Deletes a worktree that was saved. Can be run again after an interruption. */
export async function finishRemoval(place: WorktreePlace, record: WorktreeRecord): Promise<WorktreeRecord> {
  const { home } = place
  const main = await place.open(mainOf(record))
  if (record.gitDir !== undefined && existsSync(record.gitDir)) {
    if (existsSync(asideOf(record)) && !isWorkingTree(record.folder)) moveBeside(record.folder)
    await main.write(['worktree', 'remove', '--', record.folder])
  }
  rmSync(asideOf(record), { recursive: true, force: true, maxRetries: 3 })
  const next = { ...record }
  if (await deleteOwnBranch(main, record)) next.removed = { ...record.removed!, branchDeleted: true }
  writeWorktree(home, next)
  return next
}

/**
 * Deletes the branch if Trestle made it and another branch has all of its commits; commits that only its reflog refers
 * to are kept with the worktree.
 */
async function deleteOwnBranch(main: OpenRepository, { branch, ownBranch, removed }: WorktreeRecord): Promise<boolean> {
  if (!ownBranch || branch === undefined || !removed) return false
  const ref = `refs/heads/${branch}`
  const tip = await main.maybe(['rev-parse', '--verify', '--quiet', ref])
  if (tip !== removed.commit) return false
  const holders = (
    await main.text(['for-each-ref', `--contains=${tip}`, '--format=%(refname)', 'refs/heads', 'refs/remotes'])
  ).split('\n')
  if (!holders.some((name) => name !== '' && name !== ref)) return false
  const used = (await main.text(['worktree', 'list', '--porcelain'])).split('\n').includes(`branch ${ref}`)
  if (used) return false
  await main.write(['update-ref', '-d', ref, tip])
  return true
}

/** The working tree that a worktree was created from. */
export function mainOf({ main, commonDir }: WorktreeRecord): Repository {
  if (!existsSync(commonDir)) throw new CodedError('worktree.no_project', `The repository ${commonDir} does not exist.`)
  return existsSync(join(main, '.git'))
    ? { top: main, gitDir: commonDir, commonDir, bare: false }
    : { top: commonDir, gitDir: commonDir, commonDir, bare: true }
}

function asNotSaved(error: unknown): unknown {
  if (error instanceof CodedError && error.code.startsWith('worktree.')) return error
  if (error instanceof CodedError && error.code === 'git.untrusted') return error
  const message = errorText(error)
  return new CodedError('worktree.not_saved', message, { cause: error })
}
