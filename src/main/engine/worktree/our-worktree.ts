import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { WorktreeRecord } from '../config/worktree-record'
import { findRepository, type Repository } from '../git/run/find-repository'
import { readSmallFile } from '../git/run/git-files'

const MAX_LINK_BYTES = 8_192

/**
 * The worktree of a record, after checking that its folder and git's files for it exist and refer to each other. Throws
 * `worktree.missing`, `worktree.no_project` or `worktree.not_ours` if not.
 */
export function requireOurs(record: WorktreeRecord, folder = record.folder): Repository {
  const { gitDir, commonDir } = record
  if (gitDir === undefined) throw new CodedError('worktree.not_found', `The worktree ${record.id} was never finished.`)
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (!stat?.isDirectory()) {
    const moved = movedTo(record)
    throw new CodedError(
      'worktree.missing',
      moved === undefined
        ? `The folder ${record.folder} does not exist.`
        : `The worktree was moved from ${record.folder} to ${moved}.`,
    )
  }
  const link = lstatSync(join(folder, '.git'), { throwIfNoEntry: false })
  if (!link?.isFile()) throw new CodedError('worktree.not_ours', `${folder} is not the worktree that was made there.`)
  const found = findRepository(folder)
  if (found?.top !== folder) {
    const named = /^gitdir: (.+?)\s*$/s.exec(readSmallFile(join(folder, '.git'), MAX_LINK_BYTES) ?? '')?.[1]
    throw existsSync(commonDir)
      ? new CodedError(
          'worktree.not_ours',
          `What git kept of ${folder} is missing: ${named ?? 'its .git names nothing'}.`,
        )
      : new CodedError('worktree.no_project', `The repository ${commonDir} does not exist.`)
  }
  // The project may have been moved and repaired; git's name for this worktree stays the same.
  if (basename(found.gitDir) !== basename(gitDir) || basename(dirname(found.gitDir)) !== 'worktrees')
    throw new CodedError('worktree.not_ours', `${folder} belongs to another repository than the one it was made from.`)
  if (backLink(found.gitDir) !== join(record.folder, '.git'))
    throw new CodedError('worktree.not_ours', `git has another worktree under the name ${basename(gitDir)}.`)
  return found
}

/** Throws `worktree.locked`, with the reason that the user gave. */
export function requireUnlocked({ gitDir }: Repository): void {
  const reason = readSmallFile(join(gitDir, 'locked'), MAX_LINK_BYTES)
  if (reason === undefined) return
  throw new CodedError('worktree.locked', reason.trim() === '' ? 'It was locked without a reason.' : reason.trim())
}

/** The path of the worktree's `.git` file, according to git. */
function backLink(gitDir: string): string | undefined {
  const named = readSmallFile(join(gitDir, 'gitdir'), MAX_LINK_BYTES)?.replace(/[\r\n]+$/, '')
  if (named === undefined || named === '') return undefined
  try {
    return join(realpathSync.native(dirname(named)), basename(named))
  } catch {
    return named
  }
}

function movedTo({ gitDir, folder }: WorktreeRecord): string | undefined {
  const link = gitDir === undefined ? undefined : backLink(gitDir)
  return link === undefined || link === join(folder, '.git') || !existsSync(link) ? undefined : dirname(link)
}
