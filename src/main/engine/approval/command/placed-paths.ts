import { readdirSync, statSync } from 'node:fs'
import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { Workspace } from '../../workspace/workspace'
import type { Word } from '../../permission/shell-syntax'
import type { TouchedPath } from '../shell/command-part'
import { programOf } from '../shell/unwrap'
import type { Target } from './operand-use'

/** Maximum number of names examined, both of arguments and of a folder's contents. */
const MAX_NAMES = 200

/**
 * Where `cp`, `mv`, `ln`, `install` and `rsync` put things: in a folder, under a name that no argument contains; for
 * `cp -r x/. y`, under the names of the contents of x.
 */
export function placedPaths(
  words: readonly Word[],
  targets: readonly Target[],
  { paths: flavor }: Workspace,
): Target[] {
  const program = programOf(words)
  if (!/^(?:cp|mv|ln|install|rsync)$/.test(program)) return []
  const { basename, join } = flavor.path
  const folder = targets.findLast(({ paths }) => paths.some(({ write }) => write))
  if (!folder) return []
  const replaces = hasOption(words, 'T', '--no-target-directory')
  const copiesContents = ({ text }: Word): boolean =>
    program === 'rsync' ? /(?:\/|(?:^|\/)\.)$/.test(text) : replaces || /(?:^|\/)\.\/*$/.test(text)
  const names = targets.flatMap((target) => {
    if (target === folder) return []
    const contents = copiesContents(target.word) ? target.paths.flatMap(({ realPath }) => namesIn(realPath)) : []
    return [...contents, ...target.paths.map(({ path }) => basename(path))]
  })
  const into = folder.paths.filter(({ realPath }) => isFolder(realPath))
  if (!replaces) for (const path of into) path.holdsTarget = true
  return into
    .flatMap((place) => names.map((name) => ({ place, name })))
    .slice(0, MAX_NAMES)
    .map(({ place, name }) => {
      const path = join(place.path, name)
      const realPath = join(place.realPath, name)
      const sensitive = sensitiveRule(path) ?? sensitiveRule(realPath)
      const { holdsTarget: _, ...rest } = place
      return { word: folder.word, paths: [{ ...rest, path, realPath, sensitive }] }
    })
}

/** A link that a command creates: later writes to it change something else. */
export interface MadeLink {
  /** What it points to, as written. */
  word: Word
  paths: readonly TouchedPath[]
  /** A hard link: another name for the same file that later commands cannot recognize. */
  isHard: boolean
}

/** The links that `ln`, `cp -l` and `cp -s` create. */
export function madeLinks(words: readonly Word[], targets: readonly Target[]): MadeLink[] {
  const program = programOf(words)
  const isSymbolic = hasOption(words, 's', '--symbolic', '--symbolic-link')
  const links = program === 'ln' || (program === 'cp' && (isSymbolic || hasOption(words, 'l', '--link')))
  if (!links) return []
  return targets.flatMap(({ word, paths }) => {
    const sources = paths.filter(({ write }) => !write)
    return sources.length === 0 ? [] : [{ word, paths: sources, isHard: !isSymbolic }]
  })
}

/** Long options can be abbreviated. */
function hasOption(words: readonly Word[], letter: string, ...long: string[]): boolean {
  return words.some(({ text }) =>
    text.startsWith('--')
      ? text.length > 4 && long.some((option) => option.startsWith(text))
      : new RegExp(`^-[A-Za-z]*${letter}`).test(text),
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_NAMES)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}
