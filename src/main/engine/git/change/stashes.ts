import { CodedError } from '../../../../shared/errors'
import type { GitPath, GitStash } from '../../../../shared/model/project/git'
import { FROM_STDIN, pathList } from '../run/git-path'
import type { OpenRepository } from '../repository/open-repository'
import { requireNothingInTheWay } from './in-the-way'

const MAX_STASHES = 500

export async function listStashes(repository: OpenRepository): Promise<GitStash[]> {
  const text = await repository.maybe([
    'stash',
    'list',
    '-z',
    `--max-count=${MAX_STASHES}`,
    '--format=%H%x00%ct%x00%gs',
    '--encoding=UTF-8',
  ])
  const fields = (text ?? '').split('\0')
  const stashes: GitStash[] = []
  for (let at = 0; at + 2 < fields.length; at += 3)
    stashes.push({ index: at / 3, hash: fields[at]!, at: Number(fields[at + 1]) * 1_000, message: fields[at + 2]! })
  return stashes
}

export interface StashRequest {
  message: string
  /** Includes untracked files. */
  untracked: boolean
  /** Only these paths. Default: everything. */
  paths?: readonly GitPath[]
}

/** Stashes changes and returns the stash. */
export async function saveStash(
  repository: OpenRepository,
  { message, untracked, paths }: StashRequest,
): Promise<GitStash> {
  const before = (await listStashes(repository))[0]?.hash
  await repository.write(
    [
      'stash',
      'push',
      '--quiet',
      ...(untracked ? ['--include-untracked'] : []),
      ...(message.trim() === '' ? [] : ['--message', message.trim()]),
      ...(paths ? FROM_STDIN : []),
    ],
    paths ? { input: pathList(paths) } : {},
  )
  const [saved] = await listStashes(repository)
  if (!saved || saved.hash === before) throw new CodedError('git.nothing', 'There are no changes to stash.')
  return saved
}

/** Applies a stash and keeps it. On conflicts it fails with `git.conflicts`, and the files contain them. */
export async function applyStash(repository: OpenRepository, hash: string): Promise<void> {
  const { index } = await stashOf(repository, hash)
  await requireNothingInTheWay(repository, hash)
  const added = await repository.maybe(['rev-parse', '--verify', '--quiet', `${hash}^3`])
  if (added !== undefined) await requireNoFilesOf(repository, added)
  try {
    await repository.write(['stash', 'apply', '--quiet', `stash@{${index}}`])
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'git.conflicts') throw error
    throw new CodedError('git.conflicts', `${error.message.trimEnd()}\nThe stash is kept.`, { cause: error })
  }
}

/** A stash's new files are in a separate commit. */
async function requireNoFilesOf(repository: OpenRepository, commit: string): Promise<void> {
  await requireNothingInTheWay(repository, commit)
}

/** Applies a stash, and drops it if that succeeded. */
export async function popStash(repository: OpenRepository, hash: string): Promise<void> {
  await applyStash(repository, hash)
  await dropStash(repository, hash)
}

/** Drops a stash. `restoreStash` restores it by its hash. */
export async function dropStash(repository: OpenRepository, hash: string): Promise<GitStash> {
  const stash = await stashOf(repository, hash)
  await repository.write(['stash', 'drop', '--quiet', `stash@{${stash.index}}`])
  return stash
}

export async function restoreStash(
  repository: OpenRepository,
  { hash, message }: Pick<GitStash, 'hash' | 'message'>,
): Promise<void> {
  if (!/^[0-9a-f]{40,64}$/.test(hash)) throw new CodedError('request.invalid', 'This is not the hash of a stash.')
  await repository.write(['stash', 'store', '--quiet', '--message', message, hash])
}

/** The current position of a stash: others may have been added or dropped since. */
async function stashOf(repository: OpenRepository, hash: string): Promise<GitStash> {
  const stash = (await listStashes(repository)).find((each) => each.hash === hash)
  if (!stash) throw new CodedError('git.not_found', 'This stash no longer exists.')
  return stash
}
