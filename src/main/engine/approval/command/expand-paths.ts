import { lstatSync, opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../workspace/path/file-problem'
import { globMatcher, type GlobMatcher } from '../../workspace/path/glob-matcher'
import { type PathFlavor, SYSTEM_PATHS } from '../../workspace/path/path-flavor'
import { EvaluationTimeout, type EvaluationTime } from '../shell/evaluation-time'
import type { TreeUse } from './operand-use'

/** A glob that stands for more names, or is longer, is not looked into. */
const MAX_NAMES = 1000
const MAX_CHARS = 1000
/** So many entries of folders are looked at for one glob. */
const MAX_ENTRIES = 20_000

const NOT_THERE = new Set(['ENOTDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG'])

/** What a glob stands for; `problem`: why that cannot be told. */
export type Expansion = { paths: string[] } | { problem: string }

/**
 * The paths that bash makes of a glob, as they are on the disk now: absolute, with `.` and `..` left where they stand. `pattern` has a backslash before
 * each character that is no wildcard. A glob without any match stands for itself.
 */
export async function expandGlob(
  folder: string,
  pattern: string,
  text: string,
  time: EvaluationTime,
  paths: PathFlavor = SYSTEM_PATHS,
): Promise<Expansion> {
  if (pattern.length > MAX_CHARS) return { problem: 'is too long' }
  if (/[@+!?*]\(/.test(pattern)) return { problem: 'is not understood' }
  const { start, steps } = startOf(folder, pattern, paths)
  let found = [start]
  let entries = 0
  try {
    for (const [index, step] of steps.entries()) {
      if (!isMagic(step)) {
        const name = unescaped(step)
        found = found.map((path) => `${path}/${name}`)
        continue
      }
      const matcher = globMatcher(step, { escapes: true, noBraces: true })
      const showsHidden = /^(?:\\?\.|\[)/.test(step)
      const next: string[] = []
      for (const path of found) {
        await time.yieldIfDue()
        const names = namesIn(path === '' ? '/' : path, time, MAX_ENTRIES - entries)
        if (names === 'too many') return { problem: 'is about too many files' }
        entries += names.length
        // Whether a pattern that begins with a dot finds these two depends on the version of bash.
        const all = /^\\?\./.test(step) ? [...names, '.', '..'] : names
        next.push(
          ...all
            .filter((name) => (showsHidden || !name.startsWith('.')) && matcher.matches(name))
            .map((name) => `${path}/${name}`),
        )
        if (next.length > MAX_NAMES) return { problem: 'stands for too many files' }
      }
      found = index < steps.length - 1 ? next : next.filter((path) => exists(path))
    }
    const there = isMagic(steps.at(-1) ?? '') ? found : found.filter((path) => exists(path))
    return { paths: there.length > 0 ? there : [paths.isAbsolute(text) ? text : `${folder}/${text}`] }
  } catch (error) {
    return {
      problem: error instanceof EvaluationTimeout ? 'is about too many files' : 'is about a folder that cannot be read',
    }
  }
}

/** The folder a glob is looked for in, without a slash at its end, and the names below. On Windows the first of them may be a drive: `/c/x*`, `C:/x*`. */
function startOf(folder: string, pattern: string, paths: PathFlavor): { start: string; steps: string[] } {
  const steps = pattern.split('/').filter((step, index) => step !== '' || index === 0)
  const magic = steps.findIndex((step) => isMagic(step))
  const head = steps
    .slice(0, magic < 0 ? -1 : magic)
    .map(unescaped)
    .join('/')
  if (paths.platform === 'win32' && head !== '' && paths.isAbsolute(`${head}/`))
    return { start: paths.native(`${head}/`).replace(/[\\/]+$/, ''), steps: steps.slice(head.split('/').length) }
  if (!pattern.startsWith('/')) return { start: folder.replace(/\/$/, ''), steps }
  return { start: '', steps: steps.slice(1) }
}

function unescaped(step: string): string {
  return step.replace(/\\([\s\S])/g, '$1')
}

function isMagic(step: string): boolean {
  return /[*?[]/.test(step.replace(/\\[\s\S]/g, ''))
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (NOT_THERE.has(errorCode(error) ?? '')) return false
    throw error
  }
}

function namesIn(path: string, time: EvaluationTime, most: number): string[] | 'too many' {
  const names: string[] = []
  try {
    const folder = opendirSync(path, { bufferSize: 256 })
    try {
      for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
        if (names.push(entry.name) > most) return 'too many'
        if (names.length % 256 === 0) time.check()
      }
    } finally {
      folder.closeSync()
    }
  } catch (error) {
    // Not a folder, or gone: to bash it holds nothing.
    if (!NOT_THERE.has(errorCode(error) ?? '')) throw error
  }
  return names
}

/** So many files of a folder are looked at; a larger one counts as not looked at. */
const MAX_FILES = 20_000

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
export async function scanTree(folder: string, use: TreeUse, time: EvaluationTime): Promise<TreeFiles> {
  const found: TreeFiles = { files: [], links: [] }
  const skipped = use.skips.map((glob) => globMatcher(glob, { escapes: true }))
  const only = use.only.map((glob) => globMatcher(glob, { escapes: true }))
  const isMeant = (name: string): boolean => only.length === 0 || matchesOne(only, name)
  const waiting = [folder]
  try {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await time.yieldIfDue()
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
      if (found.files.length + found.links.length > MAX_FILES)
        return { ...found, problem: 'it holds too many files to be looked through' }
    }
  } catch (error) {
    const why =
      error instanceof EvaluationTimeout ? 'it is too large to be looked through' : 'parts of it cannot be looked at'
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
      for (let entry = folder.readSync(); entry && seen <= MAX_FILES; entry = folder.readSync()) {
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
