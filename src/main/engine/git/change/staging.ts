import { lstatSync, rmdirSync, rmSync } from 'node:fs'
import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitPath, type GitUndo, type GitCommitted } from '../../../../shared/model/project/git'
import {
  diskPath,
  FROM_STDIN,
  gitPath,
  isFolderPath,
  isInFolder,
  pathArgument,
  pathBytes,
  pathList,
  rawPath,
} from '../run/git-path'
import { inPlainFolder, type RawPath } from '../run/plain-path'
import type { OpenRepository } from '../repository/open-repository'
import { rawFileDiff } from '../state/file-diff'
import { patchOf } from '../state/parse-diff'
import { parseStatus, readStatus } from '../state/status'
import { submodulePaths } from '../state/submodules'
import { keepIndex } from './kept-index'
import type { KeptContent } from './kept'

const MAX_OUTPUT = 8_000

export interface CommitRequest {
  message: string
  /** Replaces the last commit, which stays in the reflog. */
  amend: boolean
  /** First stages all changes. If the commit fails, the index is restored. */
  all?: boolean
}

/** Commits what is staged. The user's hooks run and commits are signed as configured. */
export async function commit(
  repository: OpenRepository,
  { message, amend, all = false }: CommitRequest,
  signal?: AbortSignal,
): Promise<GitCommitted> {
  if (message.trim() === '') throw new CodedError('request.invalid', 'The commit needs a message.')
  if (all) {
    const before = await keepIndex(repository)
    try {
      await addToIndex(repository)
      return await commit(repository, { message, amend }, signal)
    } catch (error) {
      await before.putBack()
      throw error
    }
  }
  const { stdout, stderr, hooks } = await repository.write(
    ['commit', '--quiet', '--cleanup=whitespace', '--file=-', ...(amend ? ['--amend'] : [])],
    { input: message, ...(signal && { signal }) },
  )
  const [hash = '', subject = ''] = (
    await repository.text(['log', '-1', '--format=%H%x00%s', '--encoding=UTF-8'])
  ).split('\0')
  const printed = hooks.length === 0 ? '' : `${stderr}\n${stdout.toString('utf8')}`.trim().slice(-MAX_OUTPUT)
  return { hash, subject, output: printed, hooks: hooks.map(({ name }) => name) }
}

/** The full message of the last commit, for amending. */
export async function lastMessage(repository: OpenRepository): Promise<string> {
  return (await repository.maybe(['log', '-1', '--format=%B', '--encoding=UTF-8']))?.trimEnd() ?? ''
}

/**
 * Adds files to the index in their current state: changed, new or deleted; by default all. `git add` always looks for
 * changes inside submodules, and so would use their settings and filters; they are added by their commits instead.
 */
export async function addToIndex(repository: OpenRepository, paths?: readonly GitPath[]): Promise<void> {
  const submodules = await submodulePaths(repository)
  const wanted = paths?.map((path) => pathBytes(path).toString('latin1'))
  const chosen = submodules.filter(
    (path) => !wanted || wanted.some((one) => one === path || path.startsWith(`${one}/`)),
  )
  const files = paths?.filter((path) => !submodules.includes(pathBytes(path).toString('latin1')))
  if (files === undefined || files.length > 0) {
    const all = files === undefined ? Buffer.from(':(top)\0') : pathList(files)
    const without = chosen.map((path) => `:(top,literal,exclude)${path}\0`).join('')
    const input = Buffer.concat([all, Buffer.from(without, 'latin1')])
    await repository.write(['add', '--all', ...FROM_STDIN], { input })
  }
  if (chosen.length === 0) return
  const input = Buffer.from(chosen.map((path) => `${path}\0`).join(''), 'latin1')
  await repository.write(['update-index', '-z', '--add', '--remove', '--stdin'], { input })
}

/** Stages files in their current state: changed, new or deleted. */
export async function stage(repository: OpenRepository, paths: readonly GitPath[]): Promise<void> {
  await addToIndex(repository, paths)
}

/** Stages all changes. */
export async function stageAll(repository: OpenRepository): Promise<void> {
  await addToIndex(repository)
}

/** Unstages files, without changing the working tree. */
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

/** Hunks of one file to stage, unstage or discard. */
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

/** Unstages hunks. */
export async function unstageHunks(repository: OpenRepository, change: HunkChange): Promise<void> {
  const patch = await patchFor(repository, change, 'staged')
  await repository.write([...APPLY, '--cached', '--reverse', '-'], { input: patch })
}

/** Removes hunks from the working tree, after keeping a copy of the whole file. */
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

/** Restores files from the index and removes new ones. A copy of everything removed is kept first. */
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
    unstaged.some((change) => change.kind === 'untracked' && isFolderPath(change.path) && isInFolder(path, change.path))
  const tracked = unstaged.filter(({ path, kind, submodule }) => wanted.has(path) && kind !== 'untracked' && !submodule)
  const fresh = [...wanted].filter((path) => {
    const change = unstaged.find((each) => each.path === path)
    return change ? change.kind === 'untracked' : inNewFolder(path)
  })
  // Added to git without content (`git add --intent-to-add`), so there is nothing to restore.
  const announced = tracked.filter(({ kind }) => kind === 'added').map(({ path }) => path)
  const restored = tracked.filter(({ kind }) => kind !== 'added').map(({ path }) => path)
  if (tracked.length + fresh.length === 0)
    throw new CodedError('git.nothing', 'These files have no changes to discard.')
  const removed = [...announced, ...(await untrackedFiles(repository, fresh))]
  if (restored.length + removed.length === 0)
    throw new CodedError(
      'git.nested',
      `${fresh.map(gitPathText).join(', ')} holds a repository of its own, which was left alone.`,
    )
  const id = kept.keep(repository, [...restored, ...removed], 'Discarded')
  if (announced.length > 0) await repository.write(['reset', '--quiet', ...FROM_STDIN], { input: pathList(announced) })
  if (restored.length > 0)
    await repository.write(['restore', '--worktree', ...FROM_STDIN], { input: pathList(restored) })
  for (const path of removed) removeFile(repository.top, path)
  return id === undefined ? {} : { kept: id }
}

/** New files at these paths; in folders, only those that git does not ignore. */
async function untrackedFiles(repository: OpenRepository, paths: readonly GitPath[]): Promise<GitPath[]> {
  const files = paths.filter((path) => !isFolderPath(path))
  for (const folder of paths.filter(isFolderPath)) {
    const { stdout } = await repository.read([
      'ls-files',
      '-z',
      '--others',
      '--exclude-standard',
      '--',
      // For a name that is not text, the argument is a pattern, which must match the whole path.
      folder.startsWith('\0') ? `${pathArgument(folder)}**` : pathArgument(folder),
    ])
    const names = stdout.toString('latin1').split('\0')
    const found = names.filter((name) => name !== '' && !name.endsWith('/')).map(gitPath)
    files.push(...found.filter((name) => isInFolder(name, folder)))
  }
  return files
}

/** Removes a file and the folders that become empty. */
function removeFile(top: string, path: GitPath): void {
  const stat = lstatSync(diskPath(top, path), { throwIfNoEntry: false })
  if (!stat || stat.isDirectory()) return
  inPlainFolder(top, rawPath(path), {}, (place) => rmSync(place))
  try {
    for (let folder = above(rawPath(path)); folder !== ''; folder = above(folder))
      inPlainFolder(top, folder, {}, (place) => rmdirSync(place))
  } catch {
    // The folder contains other files.
  }
}

/** The folder that contains a path; empty for the top. */
function above(path: RawPath): RawPath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
