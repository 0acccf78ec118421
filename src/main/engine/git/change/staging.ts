import { lstatSync, rmdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitPath, type GitUndo } from '../../../../shared/model/git'
import { addToIndex } from './add-to-index'
import { diskPath, FROM_STDIN, gitPath, pathArgument, pathList } from '../repository/git-path'
import type { OpenRepository } from '../repository/open-repository'
import { rawFileDiff } from '../state/file-diff'
import { patchOf } from '../state/parse-diff'
import { parseStatus, readStatus } from '../state/status'
import type { KeptContent } from './kept'

/** Adds files as they are now to the index: changed, new or deleted. */
export async function stage(repository: OpenRepository, paths: readonly GitPath[]): Promise<void> {
  await addToIndex(repository, paths)
}

/** Adds everything that differs. */
export async function stageAll(repository: OpenRepository): Promise<void> {
  await addToIndex(repository)
}

/** Takes files out of the index again; the working tree stays as it is. */
export async function unstage(repository: OpenRepository, paths: readonly GitPath[]): Promise<void> {
  const { staged } = await readStatus(repository)
  const wanted = new Set(paths)
  const both = staged.flatMap(({ path, from, kind }) =>
    wanted.has(path) && from !== undefined && kind === 'renamed' ? [from] : [],
  )
  await repository.write(['reset', '--quiet', ...FROM_STDIN], { input: pathList([...paths, ...both]) })
}

export async function unstageAll(repository: OpenRepository): Promise<void> {
  await repository.write(['reset', '--quiet'])
}

/** What is done with hunks of one file. */
export interface HunkChange {
  path: GitPath
  from?: GitPath
  hunkIds: readonly string[]
}

const APPLY = ['apply', '--whitespace=nowarn', '--no-ignore-whitespace'] as const

/** Stages hunks, byte for byte. */
export async function stageHunks(repository: OpenRepository, change: HunkChange): Promise<void> {
  const patch = await patchFor(repository, change, 'unstaged')
  await repository.write([...APPLY, '--cached', '-'], { input: patch })
}

/** Takes hunks out of the index again. */
export async function unstageHunks(repository: OpenRepository, change: HunkChange): Promise<void> {
  const patch = await patchFor(repository, change, 'staged')
  await repository.write([...APPLY, '--cached', '--reverse', '-'], { input: patch })
}

/** Removes hunks from the working tree; the whole file is kept before. */
export async function discardHunks(
  repository: OpenRepository,
  change: HunkChange,
  kept: KeptContent,
): Promise<GitUndo> {
  const patch = await patchFor(repository, change, 'unstaged')
  const id = kept.keep(repository, [change.path], 'Discarded a part')
  await repository.write([...APPLY, '--reverse', '-'], { input: patch })
  return id === undefined ? {} : { kept: id }
}

async function patchFor(
  repository: OpenRepository,
  { path, from, hunkIds }: HunkChange,
  side: 'staged' | 'unstaged',
): Promise<Buffer> {
  const raw = await rawFileDiff(repository, { path, side, ...(from !== undefined && { from }) })
  const hunks = raw?.hunks.filter(({ id }) => hunkIds.includes(id)) ?? []
  if (!raw || hunks.length !== new Set(hunkIds).size)
    throw new CodedError('git.changed', `${gitPathText(path)} has changed since it was shown.`)
  if (raw.oldName === undefined || raw.newName === undefined)
    throw new CodedError('request.invalid', `${gitPathText(path)} is new or deleted: use the whole file.`)
  return patchOf(raw, hunks)
}

/** Puts files back as they are in the index, and removes new ones. Everything removed is kept before. */
export async function discard(
  repository: OpenRepository,
  paths: readonly GitPath[],
  kept: KeptContent,
): Promise<GitUndo> {
  const wanted = new Set(paths)
  const { stdout } = await repository.read([
    'status',
    '--porcelain=v2',
    '-z',
    '--ignore-submodules=dirty',
    '--no-renames',
    '--untracked-files=normal',
  ])
  const { unstaged } = parseStatus(stdout)
  const inNewFolder = (path: GitPath): boolean =>
    unstaged.some((change) => change.kind === 'untracked' && change.path.endsWith('/') && path.startsWith(change.path))
  const tracked = unstaged.filter(({ path, kind, submodule }) => wanted.has(path) && kind !== 'untracked' && !submodule)
  const fresh = [...wanted].filter((path) => {
    const change = unstaged.find((each) => each.path === path)
    return change ? change.kind === 'untracked' : inNewFolder(path)
  })
  // Announced to git without content: there is nothing to put back.
  const announced = tracked.filter(({ kind }) => kind === 'added').map(({ path }) => path)
  const restored = tracked.filter(({ kind }) => kind !== 'added').map(({ path }) => path)
  if (tracked.length + fresh.length === 0)
    throw new CodedError('git.nothing', 'These files have no changes to discard.')
  const removed = [...announced, ...(await untrackedFiles(repository, fresh))]
  if (restored.length + removed.length === 0)
    throw new CodedError(
      'git.would_overwrite',
      `${fresh.map(gitPathText).join(', ')} holds a repository of its own. Delete it in a terminal if it is not needed.`,
    )
  const id = kept.keep(repository, [...restored, ...removed], 'Discarded')
  if (announced.length > 0) await repository.write(['reset', '--quiet', ...FROM_STDIN], { input: pathList(announced) })
  if (restored.length > 0)
    await repository.write(['restore', '--worktree', ...FROM_STDIN], { input: pathList(restored) })
  for (const path of removed) removeFile(repository.top, path)
  return id === undefined ? {} : { kept: id }
}

/** New files at these paths; of folders those that git does not ignore. */
async function untrackedFiles(repository: OpenRepository, paths: readonly GitPath[]): Promise<GitPath[]> {
  const files = paths.filter((path) => !path.endsWith('/'))
  for (const folder of paths.filter((path) => path.endsWith('/'))) {
    const { stdout } = await repository.read([
      'ls-files',
      '-z',
      '--others',
      '--exclude-standard',
      '--',
      pathArgument(folder),
    ])
    const names = stdout.toString('latin1').split('\0')
    files.push(...names.filter((name) => name !== '' && !name.endsWith('/')).map(gitPath))
  }
  return files
}

/** Removes a file, and the folders that become empty. */
function removeFile(top: string, path: GitPath): void {
  const disk = diskPath(top, path)
  const stat = lstatSync(disk, { throwIfNoEntry: false })
  if (!stat || stat.isDirectory()) return
  rmSync(disk)
  if (typeof disk !== 'string') return
  try {
    for (let at = dirname(disk); at !== top && at.startsWith(top); at = dirname(at)) rmdirSync(at)
  } catch {
    // It holds other files.
  }
}
