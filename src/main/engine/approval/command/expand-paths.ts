import { lstatSync, opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { globMatcher, type GlobMatcher } from '../../workspace/path/glob-matcher'
import { type PathFlavor, SYSTEM_PATHS } from '../../workspace/path/path-flavor'
import { EvaluationTimeout, type EvaluationTime } from '../shell/evaluation-time'
import type { TreeUse } from './operand-use'
import { errorCode } from '../../../../shared/error-text'

/** Globs that are longer or match more names are not expanded. */
const MAX_NAMES = 1000
const MAX_CHARS = 1000
/** Maximum number of directory entries examined for one glob. */
const MAX_ENTRIES = 20_000

const NOT_THERE = new Set(['ENOTDIR', 'ENOENT', 'ELOOP', 'ENAMETOOLONG'])

/** The paths a glob matches; `problem`: why they cannot be determined. */
export type Expansion = { paths: string[] } | { problem: string }

/**
 * The paths that bash expands a glob to on the current disk: absolute, with `.` and `..` kept. `pattern` has a
 * backslash before each character that is not a wildcard. A glob that matches nothing stays literal.
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
        // Whether a pattern with a leading dot matches these two depends on the bash version.
        const all = /^\\?\./.test(step) ? [...names, '.', '..'] : names
        next.push(
          ...all
            .filter((name) => (showsHidden || !name.startsWith('.')) && matcher.matches(name))
            .map((name) => `${path}/${name}`),
        )
        if (next.length > MAX_NAMES) return { problem: 'matches too many files' }
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

/**
 * The folder where a glob starts, without a trailing slash, and the remaining steps. On Windows the first step may be a
 * drive: `/c/x*`, `C:/x*`.
 */
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
    // Not a folder, or deleted: bash finds nothing in it.
    if (!NOT_THERE.has(errorCode(error) ?? '')) throw error
  }
  return names
}

/** Maximum number of files examined in a folder; a larger folder counts as unknown. */
const MAX_FILES = 20_000

/** What a program reads when it walks an entire folder. */
export interface TreeFiles {
  /** Absolute file paths. */
  files: string[]
  /** Links that are followed: their targets are read as well. */
  links: string[]
  /** Why the list is incomplete. */
  problem?: string
}

/**
 * Lists the files that a program walking `folder` would open. Anything that takes longer than `time` counts as unknown.
 */
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
      error instanceof EvaluationTimeout ? 'it is too large to be looked through' : 'parts of it cannot be inspected'
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
    // Not a folder but a file that the command names. A path that cannot be read here cannot be read by the command
    // either.
    if (!['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM', 'ELOOP'].includes(errorCode(error) ?? '')) throw error
  }
}
