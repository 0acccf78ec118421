import { createHash } from 'node:crypto'
import { lstatSync, writeFileSync } from 'node:fs'
import type { OpenRepository } from '../../git/repository/open-repository'
import { isSafeTreePath } from '../../git/run/git-path'
import { inPlainFolder, readPlainFile, onDisk, rawPaths, shownPath, type RawPath } from '../../git/run/plain-path'

/** A file that is larger is left out: it is data, not configuration. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_FILES = 1_000

/** Files that were copied, from the top, with the hash that `git hash-object` gives, and those that were left out. */
export interface CopiedFiles {
  copied: Record<string, string>
  skipped: string[]
}

/** From where, to where, and what hashes of the repository look like. */
export interface CopyPlace {
  from: string
  to: string
  like: string
}

/**
 * Copies files that git does not keep, such as `.env`, from one working tree to another. Links are not followed:
 * neither one that matches, nor one on the way. What is there is not replaced.
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
    // Without a slash, in every folder, as in .gitignore.
    ...usable.map((pattern) => `:(top,glob)${pattern.includes('/') ? pattern : `**/${pattern}`}`),
  ])
  const found = rawPaths(stdout).slice(0, MAX_FILES)
  return copyAll(
    { from: from.top, to, like },
    found.filter((path) => !path.split('/').includes('node_modules')),
  )
}

/** Copies single files, such as those with which a project configures Trestle, by the same rules. */
export function copyAll(place: CopyPlace, paths: readonly RawPath[]): CopiedFiles {
  const result: CopiedFiles = { copied: {}, skipped: [] }
  for (const path of paths) {
    const hash = isSafeTreePath(path) ? copyOne(place, path) : undefined
    if (hash === undefined) result.skipped.push(shownPath(path))
    else result.copied[path] = hash
  }
  return result
}

/** Whether a path is a regular file, as far as can be told without following a link at its end. */
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
