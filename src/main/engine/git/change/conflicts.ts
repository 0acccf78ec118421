import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { CodedError } from '../../../../shared/errors'
import {
  gitPathText,
  type GitConflict,
  type GitConflictFile,
  type GitConflictPart,
  type GitPath,
  type GitUndo,
} from '../../../../shared/model/project/git'
import { atomicWrite } from '../../workspace/file/atomic-write'
import { diskPath, FROM_STDIN, pathList, rawPath } from '../run/git-path'
import { readPlainFile } from '../run/plain-path'
import type { Repository } from '../run/find-repository'
import type { OpenRepository } from '../repository/open-repository'
import { operationOf } from '../run/git-files'
import { readStatus } from '../state/status'
import { addToIndex } from './staging'
import type { KeptContent } from './kept'

const MAX_BYTES = 4 * 1024 * 1024

/** A conflict between markers, as bytes in latin1. */
interface RawPart extends Omit<GitConflictPart, 'line'> {
  line: number
  from: number
  to: number
}

/** The conflicts in a file, parsed from its markers. */
export function conflictsIn(repository: Pick<OpenRepository, 'top'>, path: GitPath): GitConflictFile {
  const text = contentOf(repository, path)
  if (text === undefined) return { path, parts: [], hash: '', note: 'The file is not in the working tree.' }
  const hash = hashOf(text)
  if (text.includes('\0')) return { path, parts: [], hash, note: 'A binary file: take one of both versions.' }
  const parts = rawParts(text).map(({ line, ours, theirs, oursName, theirsName }) => ({
    line,
    ours: shown(ours),
    theirs: shown(theirs),
    oursName: shown(oursName),
    theirsName: shown(theirsName),
  }))
  return { path, parts, hash }
}

function contentOf({ top }: Pick<OpenRepository, 'top'>, path: GitPath): string | undefined {
  const stat = lstatSync(diskPath(top, path), { throwIfNoEntry: false })
  if (!stat?.isFile()) return undefined
  if (stat.size > MAX_BYTES)
    throw new CodedError('git.too_large', `${gitPathText(path)} is too large: resolve it in an editor.`)
  return readPlainFile(top, rawPath(path), MAX_BYTES)?.content.toString('latin1')
}

function shown(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}

function hashOf(latin1: string): string {
  return createHash('sha256').update(latin1, 'latin1').digest('hex').slice(0, 32)
}

/** Line by line: one pattern for a whole conflict takes hours on a file with many start markers and no end marker. */
function rawParts(text: string): RawPart[] {
  const parts: RawPart[] = []
  let open: OpenPart | undefined
  let line = 0
  for (let from = 0, to = 0; from < text.length; from = to) {
    const lineBreak = text.indexOf('\n', from)
    to = lineBreak === -1 ? text.length : lineBreak + 1
    line += 1
    if (!MARKERS.has(text[from]!)) continue
    const [, kind, name] = MARKER.exec(text.slice(from, to)) ?? []
    if (kind === '<') open ??= { line, from, oursName: name ?? '', oursFrom: to }
    else if (!open) continue
    else if (kind === '|') open.oursTo ??= from
    else if (kind === '=' && name === undefined && open.theirsFrom === undefined) {
      open.oursTo ??= from
      open.theirsFrom = to
    } else if (kind === '>' && open.theirsFrom !== undefined) {
      const { oursFrom, oursTo, theirsFrom, ...start } = open
      const [ours, theirs] = [text.slice(oursFrom, oursTo), text.slice(theirsFrom, from)]
      parts.push({ ...start, ours, theirs, theirsName: name ?? '', to })
      open = undefined
    }
  }
  return parts
}

const MARKERS = new Set('<|=>')
const MARKER = /^([<|=>])\1{6}(?: ([^\r\n]*))?\r?\n?$/

/** A conflict whose end has not been read yet. */
interface OpenPart extends Pick<RawPart, 'line' | 'from' | 'oursName'> {
  oursFrom: number
  oursTo?: number
  theirsFrom?: number
}

export type ConflictChoice = 'ours' | 'theirs' | 'both'

/** Replaces one conflict of a file with one side, or with both in order. The previous content is kept. */
export async function resolvePart(
  repository: Repository,
  { path, part, choice, hash }: { path: GitPath; part: number; choice: ConflictChoice; hash: string },
  kept: KeptContent,
): Promise<GitUndo> {
  const text = contentOf(repository, path)
  if (text === undefined || hashOf(text) !== hash)
    throw new CodedError('git.changed', `${gitPathText(path)} has changed since it was shown.`)
  const found = rawParts(text)[part]
  if (!found) throw new CodedError('git.not_found', 'There is no such conflict in the file.')
  const { ours, theirs, from, to } = found
  const content = choice === 'ours' ? ours : choice === 'theirs' ? theirs : ours + theirs
  const disk = diskPath(repository.top, path)
  if (typeof disk !== 'string')
    throw new CodedError('request.invalid', 'The name of this file is not text: resolve it in an editor.')
  const id = kept.keep(repository, [path], 'Resolved a conflict')
  await atomicWrite(disk, Buffer.from(text.slice(0, from) + content + text.slice(to), 'latin1'), { exactly: true })
  return id === undefined ? {} : { kept: id }
}

/** Takes one side of a whole file and marks it as resolved. The previous content is kept. */
export async function takeSide(
  repository: OpenRepository,
  { path, choice }: { path: GitPath; choice: 'ours' | 'theirs' },
  kept: KeptContent,
): Promise<GitUndo> {
  const conflict = await conflictOf(repository, path)
  const id = kept.keep(repository, [path], 'Resolved a conflict')
  const input = pathList([path])
  if (conflict[choice]) {
    await repository.write(['checkout', '--quiet', `--${choice}`, ...FROM_STDIN], { input })
    await addToIndex(repository, [path])
  } else await repository.write(['rm', '--quiet', '--force', ...FROM_STDIN], { input })
  return id === undefined ? {} : { kept: id }
}

/** Marks files as resolved as they are now. Fails with `git.conflicts` while one still has conflict markers. */
export async function markResolved(repository: OpenRepository, paths: readonly GitPath[]): Promise<void> {
  for (const path of paths) {
    await conflictOf(repository, path)
    const text = contentOf(repository, path)
    if (text !== undefined && !text.includes('\0') && rawParts(text).length > 0)
      throw new CodedError('git.conflicts', `${gitPathText(path)} still has conflict markers.`)
  }
  await addToIndex(repository, paths)
}

async function conflictOf(repository: OpenRepository, path: GitPath): Promise<GitConflict> {
  const conflict = (await readStatus(repository)).conflicts.find((each) => each.path === path)
  if (!conflict) throw new CodedError('git.not_found', `${gitPathText(path)} has no conflict.`)
  return conflict
}

/** Continues the operation in progress after its conflicts are resolved. */
export async function continueOperation(repository: OpenRepository): Promise<void> {
  const operation = operationOf(repository)
  if (!operation || operation.kind === 'bisect') throw new CodedError('git.nothing', 'No operation is in progress.')
  const { conflicts } = await readStatus(repository)
  if (conflicts.length > 0)
    throw new CodedError(
      'git.conflicts',
      `${conflicts.length} ${conflicts.length === 1 ? 'file has' : 'files have'} conflicts.`,
    )
  if (operation.kind === 'merge') await repository.write(['commit', '--quiet', '--no-edit'])
  else await repository.write([operation.kind, '--continue'])
}

/** Aborts the operation in progress and returns to the state before it. Copies of changed files are kept first. */
export async function abortOperation(repository: OpenRepository, kept: KeptContent): Promise<GitUndo> {
  const operation = operationOf(repository)
  if (!operation) throw new CodedError('git.nothing', 'No operation is in progress.')
  if (operation.kind === 'bisect') {
    await repository.write(['bisect', 'reset'])
    return {}
  }
  const { staged, unstaged, conflicts } = await readStatus(repository)
  const changed = [...staged, ...unstaged, ...conflicts].filter((change) => !('kind' in change && change.submodule))
  const id = kept.keep(
    repository,
    [...new Set(changed.map(({ path }) => path))],
    `Before the ${operation.kind} was aborted`,
  )
  await repository.write([operation.kind, '--abort'])
  return id === undefined ? {} : { kept: id }
}
