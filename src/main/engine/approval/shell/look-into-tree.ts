import { opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../workspace/file-problem'
import { globMatcher, type GlobMatcher } from '../../workspace/glob-matcher'
import { EvaluationTimeout, type EvaluationTime } from '../evaluation-time'
import type { TreeUse } from './operand-use'

/** So many files of a folder are looked at; a larger one counts as not looked at. */
const MOST_FILES = 20_000

/** What a program reads that goes through a whole folder. */
export interface TreeFiles {
  /** Absolute paths of files. */
  files: string[]
  /** Links that are followed: where they lead is read as well. */
  links: string[]
  /** Why not all of them are known. */
  problem?: string
}

/** Lists what a program that goes through `folder` would open, as it would; what takes longer than `time` is not known. */
export async function lookIntoTree(folder: string, use: TreeUse, time: EvaluationTime): Promise<TreeFiles> {
  const found: TreeFiles = { files: [], links: [] }
  const skipped = use.skips.map((glob) => globMatcher(glob, { escapes: true }))
  const only = use.only.map((glob) => globMatcher(glob, { escapes: true }))
  const isMeant = (name: string): boolean => only.length === 0 || matchesOne(only, name)
  const waiting = [folder]
  try {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await time.turn()
      read(path, (name, kind) => {
        if (use.skipsHidden && name.startsWith('.')) return
        const inner = join(path, name)
        if (kind === 'link') {
          if (!use.follows) return
          found.links.push(inner)
          if (isFolderAt(inner)) found.problem = 'a link in it leads to another folder'
        } else if (kind === 'file') {
          if (isMeant(name)) found.files.push(inner)
        } else if (!matchesOne(skipped, name)) waiting.push(inner)
      })
      if (found.files.length + found.links.length > MOST_FILES) return { ...found, problem: 'it holds too many files to be looked through' }
    }
  } catch (error) {
    const why = error instanceof EvaluationTimeout ? 'it is too large to be looked through' : 'parts of it cannot be looked at'
    return { ...found, problem: why }
  }
  return found
}

function matchesOne(matchers: readonly GlobMatcher[], name: string): boolean {
  return matchers.some((matcher) => matcher.matches(name))
}

function isFolderAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function read(path: string, visit: (name: string, kind: 'file' | 'folder' | 'link') => void): void {
  try {
    const folder = opendirSync(path, { bufferSize: 256 })
    try {
      let seen = 0
      for (let entry = folder.readSync(); entry && seen <= MOST_FILES; entry = folder.readSync()) {
        seen += 1
        visit(entry.name, entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file')
      }
    } finally {
      folder.closeSync()
    }
  } catch (error) {
    // What is no folder is a file that the command names; what cannot be read here cannot be read by the command.
    if (!['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error) ?? '')) throw error
  }
}
