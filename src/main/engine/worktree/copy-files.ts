import { constants, copyFileSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { OpenRepository } from '../git/repository/open-repository'
import { isSafeTreePath } from '../git/repository/tree-path'
import { onDisk, rawPaths, shownPath, type RawPath } from './raw-path'

/** A file that is larger is left out: it is data, not configuration. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_FILES = 1_000

/** Files that were copied, from the top, with the hash that `git hash-object` gives, and those that were left out. */
export interface CopiedFiles {
  copied: Record<string, string>
  skipped: string[]
}

/**
 * Copies files that git does not keep, such as `.env`, from one working tree to another. Links are not followed: neither
 * one that matches, nor one on the way. What is there is not replaced.
 */
export async function copyFiles(from: OpenRepository, to: string, patterns: readonly string[]): Promise<CopiedFiles> {
  const result: CopiedFiles = { copied: {}, skipped: [] }
  const usable = patterns.filter(
    (pattern) => pattern !== '' && !pattern.startsWith('/') && !pattern.split('/').includes('..'),
  )
  if (usable.length === 0) return result
  const { stdout } = await from.read([
    'ls-files',
    '--others',
    '-z',
    '--',
    // Without a slash, in every folder, as in .gitignore.
    ...usable.map((pattern) => `:(top,glob)${pattern.includes('/') ? pattern : `**/${pattern}`}`),
  ])
  for (const path of rawPaths(stdout).slice(0, MAX_FILES))
    if (isSafeTreePath(path) && !path.split('/').includes('node_modules')) copyOne(from.top, to, path, result)
  return result
}

function copyOne(from: string, to: string, path: RawPath, result: CopiedFiles): void {
  const parts = path.split('/')
  const isPlain = (top: string, count: number): boolean =>
    lstatSync(onDisk(top, parts.slice(0, count).join('/')), { throwIfNoEntry: false })?.isDirectory() ?? top === to
  const source = onDisk(from, path)
  const stat = lstatSync(source, { throwIfNoEntry: false })
  const isOnTheWay = parts.slice(1).every((_, at) => isPlain(from, at + 1) && isPlain(to, at + 1))
  if (!stat?.isFile() || stat.size > MAX_FILE_BYTES || !isOnTheWay) return void result.skipped.push(shownPath(path))
  const target = onDisk(to, path)
  if (parts.length > 1) mkdirSync(onDisk(to, parts.slice(0, -1).join('/')), { recursive: true })
  try {
    copyFileSync(source, target, constants.COPYFILE_EXCL)
  } catch {
    return void result.skipped.push(shownPath(path))
  }
  result.copied[path] = blobHash(target)
}

/** Copies single files by name, such as those with which a project configures Trestle. */
export function copyNamed(from: string, to: string, names: readonly string[]): Record<string, string> {
  const copied: Record<string, string> = {}
  for (const name of names) {
    const stat = lstatSync(join(from, name), { throwIfNoEntry: false })
    if (!stat?.isFile() || stat.size > MAX_FILE_BYTES) continue
    try {
      mkdirSync(dirname(join(to, name)), { recursive: true })
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_EXCL)
      copied[Buffer.from(name, 'utf8').toString('latin1')] = blobHash(join(to, name))
    } catch {
      // The worktree has its own.
    }
  }
  return copied
}

function blobHash(file: string | Buffer): string {
  const content = readFileSync(file)
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
}
