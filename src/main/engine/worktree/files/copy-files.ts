import { createHash } from 'node:crypto'
import { lstatSync, writeFileSync } from 'node:fs'
import type { OpenRepository } from '../../git/repository/open-repository'
import { isSafeTreePath } from '../../git/run/git-path'
import { inPlainFolder, readPlainFile, onDisk, rawPaths, shownPath, type RawPath } from '../../git/run/plain-path'

/** Larger files are skipped: they are data, not configuration. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_FILES = 1_000

/** The copied files, relative to the top, with their `git hash-object` hashes, and the skipped files. */
export interface CopiedFiles {
  copied: Record<string, string>
  skipped: string[]
}

/** Source and target of the copies, and the repository's hash format. */
export interface CopyPlace {
  from: string
  to: string
  like: string
}

/**
 * Copies files that git does not keep, such as `.env`, from one working tree to another. Links are not followed,
 * neither as the file nor in its path. Existing files are not replaced.
 */
export async function copyFiles(
  from: OpenRepository,
  { to, like }: Omit<CopyPlace, 'from'>,
  patterns: readonly string[],
): Promise<CopiedFiles> {
  const usable = patterns.filter(
    (pattern) => pattern !== '' && !pattern.startsWith('/') && !pattern.split('/').includes('..'),
  )
  if (usable.length === 0) return { copied: {}, skipped: [] }
  const { stdout } = await from.read([
    'ls-files',
    '--others',
    '-z',
    '--',
    // A pattern without a slash matches in every folder, as in .gitignore.
    ...usable.map((pattern) => `:(top,glob)${pattern.includes('/') ? pattern : `**/${pattern}`}`),
  ])
  const found = rawPaths(stdout).slice(0, MAX_FILES)
  return copyAll(
    { from: from.top, to, like },
    found.filter((path) => !path.split('/').includes('node_modules')),
  )
}

/** Copies individual files, such as a project's Trestle configuration, by the same rules. */
export function copyAll(place: CopyPlace, paths: readonly RawPath[]): CopiedFiles {
  const result: CopiedFiles = { copied: {}, skipped: [] }
  for (const path of paths) {
    const hash = isSafeTreePath(path) ? copyOne(place, path) : undefined
    if (hash === undefined) result.skipped.push(shownPath(path))
    else result.copied[path] = hash
  }
  return result
}

/** Whether a path is a regular file; a link to one is not. */
export function isFileAt(top: string, path: RawPath): boolean {
  return lstatSync(onDisk(top, path), { throwIfNoEntry: false })?.isFile() ?? false
}

function copyOne({ from, to, like }: CopyPlace, path: RawPath): string | undefined {
  const source = readPlainFile(from, path, MAX_FILE_BYTES)
  if (!source) return undefined
  const { content, mode } = source
  try {
    inPlainFolder(to, path, { make: true }, (target) => writeFileSync(target, content, { flag: 'wx', mode }))
  } catch {
    return undefined
  }
  return createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex')
}
