import { sensitiveRule } from '../../workspace/path/sensitive-file'
import type { Workspace } from '../../workspace/workspace'
import { EvaluationTime } from '../shell/evaluation-time'
import type { TouchedPath } from '../shell/command-part'
import { expandGlob, scanTree } from './expand-paths'
import type { OperandUse, Target, TreeUse } from './operand-use'
import { placedPaths } from './placed-paths'
import { programOperands } from './program-operands'
import { protectedFile } from '../dangerous/hard-links'
import { looksProtected, protectedFolder } from '../dangerous/protected-path'
import type { ReadPath } from '../read-only/program-grammar'
import { readOnlyPaths } from '../read-only/read-only-paths'
import { repositoryProblem } from '../read-only/git-repository'
import type { Segment, Word } from '../../permission/shell-syntax'
import { mayListNames } from '../shell/shell-variables'
import { programOf } from '../shell/unwrap'

/** The context in which a command's paths are resolved. */
export interface Lookup {
  workspace: Workspace
  time: EvaluationTime
  /** The time left for walking folders, in ms. */
  diskMs: number
  /** Folders the shell may be in; undefined when unknown. */
  folders: string[] | undefined
  /** The folder where the command started. */
  home: string
  /** The values that this command assigns to variables. */
  texts: Map<string, string>
}

/** Maximum number of words of one command that are resolved on disk. */
const MAX_WORDS = 200

/** Maximum number of files or links in a folder that are listed one by one. */
const MAX_LISTED = 20

/**
 * The paths that a command touches, and whether it is known to only read; `problem`: why reading the repository could
 * do or reveal more.
 */
export async function touchedPaths(
  lookup: Lookup,
  segment: Segment,
): Promise<{ readOnly: boolean; targets: Target[]; problem?: string }> {
  const { words } = segment
  if (words.length === 0) return { readOnly: true, targets: [] }
  const uses = programOperands(words)
  const all = segment.source.startsWith('((') ? undefined : readOnlyPaths(words)
  const read = all?.filter(({ covers }) => covers !== 'repository')
  // The grammar of a read-only program decides what is a path; the table of uses decides how it is read.
  // A program that only prints its words still reveals the names a glob matches.
  const shown =
    read && programOf(words) !== '[['
      ? words.slice(1).filter((word) => word.glob === true && !read.some((path) => path.text === word.text))
      : []
  const wanted: OperandUse[] = read
    ? [
        ...read.map((path) => readUse(path, uses)),
        ...shown.map(shownNames),
        ...uses.filter(
          ({ word, tree }) => tree && !words.includes(word) && !read.some((path) => path.text === word.text),
        ),
      ]
    : uses
  const targets: Target[] = []
  for (const use of wanted.slice(0, MAX_WORDS)) targets.push(await targetOf(lookup, use))
  if (wanted.length > MAX_WORDS)
    targets.push({ word: wanted[MAX_WORDS]!.word, paths: [], problem: 'it names too many files' })
  targets.push(...placedPaths(words, targets, lookup.workspace))
  if (!all || !read) return { readOnly: false, targets }
  // A word that becomes a pattern only at run time also must not reveal names from elsewhere.
  if (programOf(words) !== '[[' && words.slice(1).some((word) => mayListNames(word, lookup.texts)))
    return { readOnly: false, targets, problem: 'the files its wildcards match are only known when it runs' }
  const problem = await problemOfRepository(lookup, all)
  if (problem !== undefined) return { readOnly: false, targets, problem }
  const known =
    lookup.folders !== undefined || read.every((word) => lookup.workspace.paths.isAbsolute(word.text) || word.tilde)
  // Another folder may contain a repository that is configured to run programs.
  const elsewhere = programOf(words) === 'git' && !(lookup.folders?.length === 1 && lookup.folders[0] === lookup.home)
  const doubtful = targets.some(
    ({ word, problem, paths }) =>
      problem !== undefined ||
      paths.some(
        ({ path, tree }) => tree?.problem !== undefined || isOption(word, lookup.workspace.paths.path.basename(path)),
      ),
  )
  return { readOnly: known && !elsewhere && !doubtful, targets }
}

/** Whether a name that the glob matches would be parsed as an option by the program. */
function isOption({ glob, text }: Word, name: string): boolean {
  return glob === true && !text.includes('/') && name.startsWith('-')
}

/**
 * How a path is read: the grammar of the read-only program determines what it opens, the table of uses what else it
 * does with it.
 */
function readUse(path: ReadPath, uses: readonly OperandUse[]): OperandUse {
  const known = uses.find(({ word }) => word === path || word.text === path.text)
  if (path.covers === 'contents') return { word: path, use: 'read', tree: treeOf(path) }
  if (path.covers === 'names')
    return { word: path, use: 'names', ...(known?.tree && { tree: { ...known.tree, content: false } }) }
  return { word: path, use: known?.use === 'names' ? 'names' : 'read' }
}

/**
 * The names that a glob matches are printed: those of one folder, without following links; deeper ones could lead
 * through links.
 */
function shownNames(word: Word): OperandUse {
  const at = word.text.search(/[*?[{]/)
  const isDeep = word.text.slice(at).includes('/')
  const folder = word.text.slice(0, Math.max(0, word.text.lastIndexOf('/', at) + 1))
  if (isDeep || at < 0) return { word, use: 'names' }
  return { word: { text: folder === '' ? '.' : folder, known: true, ...(word.tilde && { tilde: true }) }, use: 'names' }
}

function treeOf({ followsLinks = false, skipsHidden = false, skips = [], endings = [] }: ReadPath): TreeUse {
  return {
    content: true,
    follows: followsLinks,
    skipsHidden,
    skips: [...skips],
    only: endings.map((ending) => `*${ending}`),
  }
}

/** Why a git command would run programs, or reveal more than the contents of the files it names. */
async function problemOfRepository(lookup: Lookup, paths: readonly ReadPath[]): Promise<string | undefined> {
  for (const path of paths) {
    if (!path.repository) continue
    for (const { realPath } of (await resolveWord(lookup, path, false)).paths) {
      const problem = await repositoryProblem(realPath, path.repository, lookup.workspace.root)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

async function targetOf(lookup: Lookup, { word, use, tree, unsure }: OperandUse): Promise<Target> {
  const lost = lookup.folders === undefined && !lookup.workspace.paths.isAbsolute(word.text) && !word.tilde
  if (lost) return { word, paths: [] }
  const marks = {
    ...(use === 'names' && { namesOnly: true as const }),
    ...((unsure || use === 'maybe') && { unsure: true as const }),
  }
  const { paths, problem } = await resolveWord(lookup, word, use === 'write')
  const marked: TouchedPath[] = paths.map((path) => ({ ...path, ...marks, sourceWord: word.text }))
  if (!tree) return { word, paths: marked, ...(problem !== undefined && { problem }) }
  const all: TouchedPath[] = []
  for (const path of marked) all.push(...(await throughTree(lookup, path, tree)))
  return { word, paths: all, ...(problem !== undefined && { problem }) }
}

/** A folder that a program walks, plus its secrets and link targets as separate paths. */
async function throughTree(lookup: Lookup, path: TouchedPath, use: TreeUse): Promise<TouchedPath[]> {
  const skipsHidden = use.skipsHidden && { skipsHidden: true as const }
  if (!use.content && !use.follows) return [{ ...path, tree: { ...skipsHidden } }]
  const { files, links, problem } = await onDisk(lookup, (time) => scanTree(path.realPath, use, time))
  const separate: TouchedPath[] = []
  const add = async (inner: string): Promise<void> => {
    separate.push({
      ...(await lookup.workspace.resolve(inner)),
      write: path.write,
      ...(path.namesOnly && { namesOnly: true }),
      sourceWord: path.sourceWord ?? inner,
    })
  }
  for (const secret of files.filter((file) => sensitiveRule(file) !== undefined).slice(0, MAX_LISTED)) await add(secret)
  for (const link of links.slice(0, MAX_LISTED)) await add(link)
  const why = problem ?? (links.length > MAX_LISTED ? 'too many links in it are followed' : undefined)
  return [
    { ...path, tree: { ...(use.content && { files }), ...skipsHidden, ...(why !== undefined && { problem: why }) } },
    ...separate,
  ]
}

/**
 * Why changing one of these targets is dangerous, or undefined. `replaces`: the command removes or replaces entire
 * folders, including anything protected in them.
 */
export function protectedTarget(
  targets: readonly Target[],
  { texts, workspace }: Pick<Lookup, 'texts' | 'workspace'>,
  replaces = false,
): string | undefined {
  const protection = (path: string, whole: boolean): string | undefined =>
    protectedFile(path, workspace) ?? (whole ? protectedFolder(path, workspace.paths) : undefined)
  for (const { word, paths } of targets) {
    const reason = paths.flatMap(({ path, realPath, write, holdsTarget }) => {
      const whole = replaces && holdsTarget !== true
      return write ? (protection(realPath, whole) ?? protection(path, whole) ?? []) : []
    })[0]
    if (reason !== undefined) return `Changes ${word.text}, ${reason}.`
    if (!word.known && paths.some((path) => path.write) && looksProtected(word.text, texts))
      return `May change a protected file: ${word.text}.`
  }
  return undefined
}

/** The paths a word may refer to, from every folder the shell may be in; for a glob, everything it matches. */
export async function resolveWord(
  lookup: Lookup,
  word: Word,
  write: boolean,
): Promise<{ paths: TouchedPath[]; problem?: string }> {
  if (!word.known && !word.glob) {
    if (!write || !looksProtected(word.text, lookup.texts)) return { paths: [] }
    return { paths: [{ path: word.text, realPath: word.text, inside: false, sensitive: undefined, write }] }
  }
  if (/^\/dev\/fd\/\d+$/.test(word.text)) return { paths: [] }
  const paths: TouchedPath[] = []
  const problems: string[] = []
  for (const folder of lookup.folders ?? [lookup.home]) {
    await lookup.time.yieldIfDue()
    const from = word.tilde ? (await lookup.workspace.resolve('~')).path : folder
    const found = word.glob
      ? await expandGlob(
          from,
          rest(word, word.pattern ?? word.text),
          rest(word, word.text),
          lookup.time,
          lookup.workspace.paths,
        )
      : undefined
    // Not joined as paths, because the system follows a link before it applies `..`.
    const written = word.tilde || lookup.workspace.paths.isAbsolute(word.text) ? word.text : `${folder}/${word.text}`
    if (found && 'problem' in found) {
      problems.push(`${word.text} ${found.problem}`)
      paths.push({ ...(await lookup.workspace.resolve(written.replace(/[*?[{][^/]*(?:\/.*)?$/, '') || '.')), write })
    } else {
      for (const path of found?.paths ?? [written]) paths.push({ ...(await lookup.workspace.resolve(path)), write })
    }
    if (written === word.text) break
  }
  return { paths, ...(problems[0] !== undefined && { problem: problems[0] }) }
}

/** Runs a disk lookup within the remaining time. */
async function onDisk<T>(lookup: Lookup, look: (time: EvaluationTime) => Promise<T>): Promise<T> {
  const time = new EvaluationTime(lookup.diskMs)
  const found = await lookup.time.waitFor(look(time))
  lookup.diskMs = time.remaining()
  return found
}

/** Without the leading `~/`. */
function rest({ tilde }: Word, text: string): string {
  return tilde ? text.replace(/^~\/?/, '') : text
}
