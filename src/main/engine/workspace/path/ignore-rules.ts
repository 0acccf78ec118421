import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { globMatcher } from './glob-matcher'
import { readPlainText } from './plain-file'
import { repositoryRoot } from './repository-root'

/** The files that hide entries from listings and searches. In one folder, the later name takes precedence. */
export const IGNORE_FILES = ['.gitignore', '.trestleignore'] as const

const MAX_FILE_BYTES = 1_000_000
/**
 * Maximum rules of one file; the largest file in known projects has a tenth. Each entry of a project is compared with
 * all of them.
 */
const MAX_RULES = 5_000
/** Maximum rules with more than stars, each of which takes thirty times as long. */
const MAX_COMPLEX_RULES = 500

/** The ignore rules that apply to the entries of one folder. */
export interface IgnoreRules {
  /** Whether an entry of this folder is ignored. `path` is absolute; the folder itself counts as not ignored. */
  ignores(path: string, isFolder: boolean): boolean
  /** The rules for the entries of a folder in this one: its own ignore files are read and override those above. */
  into(folder: string): IgnoreRules
}

/**
 * The rules for the entries of `folder`: its own ignore files and those above it up to the root of the git repository,
 * or without a repository up to `root`. A folder that is itself ignored was requested by name, so the rules above it
 * are not used.
 */
export function ignoreRules(folder: string, root: string, names: readonly string[] = IGNORE_FILES): IgnoreRules {
  return rulesAbove(folder, root, names).rules.into(folder)
}

/** Whether a folder or one above it is ignored, so that `ignoreRules` does not use rules above that one. */
export function isInIgnoredFolder(folder: string, root: string): boolean {
  return rulesAbove(folder, root, IGNORE_FILES).isIgnored
}

/** Whether there is an ignore file in a folder above `folder`. */
export function hasIgnoreFileAbove(folder: string): boolean {
  for (let [at, above] = [folder, dirname(folder)]; above !== at; [at, above] = [above, dirname(above)])
    if (IGNORE_FILES.some((name) => existsSync(join(above, name)))) return true
  return false
}

function rulesAbove(
  folder: string,
  root: string,
  names: readonly string[],
): { rules: IgnoreRules; isIgnored: boolean } {
  const above: string[] = []
  const top = repositoryRoot(folder) ?? (isWithin(folder, root) ? root : folder)
  for (let next = folder; next !== top;) {
    next = dirname(next)
    above.unshift(next)
  }
  let rules: IgnoreRules = new Chain(undefined, [], names)
  let isIgnored = false
  for (const [index, path] of above.entries()) {
    rules = rules.into(path)
    if (!rules.ignores(above[index + 1] ?? folder, true)) continue
    rules = new Chain(undefined, [], names)
    isIgnored = true
  }
  return { rules, isIgnored }
}

/** Applies `ignoreRules` to any path below `folder`: true if the path or one of its parent folders is ignored. */
export function ignoreFilter(folder: string, root: string, names: readonly string[]): (path: string) => boolean {
  const known = new Map<string, IgnoreRules | undefined>([[folder, ignoreRules(folder, root, names)]])
  const rulesFor = (inner: string): IgnoreRules | undefined => {
    if (known.has(inner)) return known.get(inner)
    const outer = rulesFor(dirname(inner))
    const rules = outer && !outer.ignores(inner, true) ? outer.into(inner) : undefined
    known.set(inner, rules)
    return rules
  }
  return (path) => rulesFor(dirname(path))?.ignores(path, false) ?? true
}

interface Matcher {
  /** Ends with a separator. */
  base: string
  /** The last matching rule decides. */
  rules: IgnoreRule[]
}

/** One line of an ignore file. */
interface IgnoreRule {
  matches(text: string): boolean
  isComplex: boolean
  /** It includes again what an earlier rule ignores. */
  negated: boolean
  foldersOnly: boolean
  /** It matches names at any depth. */
  nameOnly: boolean
}

class Chain implements IgnoreRules {
  /** Nearest first. */
  readonly #parent: Chain | undefined
  readonly #own: Matcher[]
  readonly #names: readonly string[]

  constructor(parent: Chain | undefined, own: Matcher[], names: readonly string[]) {
    this.#parent = parent
    this.#own = own
    this.#names = names
  }

  into(folder: string): Chain {
    const own = this.#names.flatMap((name) => matcherOf(folder, name) ?? []).toReversed()
    return own.length > 0 ? new Chain(this, own, this.#names) : this
  }

  ignores(path: string, isFolder: boolean): boolean {
    for (const matcher of this.#own) {
      const verdict = judge(matcher, path, isFolder)
      if (verdict !== undefined) return verdict
    }
    return this.#parent?.ignores(path, isFolder) ?? false
  }
}

function judge({ base, rules }: Matcher, path: string, isFolder: boolean): boolean | undefined {
  const inner = path.slice(base.length)
  const posix = sep === '/' ? inner : inner.replaceAll(sep, '/')
  const name = posix.slice(posix.lastIndexOf('/') + 1)
  // Parent folders are judged before their entries, so only the path itself matters here.
  const decides = rules.findLast(
    (rule) => (isFolder || !rule.foldersOnly) && rule.matches(rule.nameOnly ? name : posix),
  )
  return decides && !decides.negated
}

/** The rules of a file, each line once; only as many as can be checked for every entry of a project. */
function rulesOf(lines: readonly string[]): IgnoreRule[] {
  const rules: IgnoreRule[] = []
  let complex = 0
  // Of identical lines, the last one counts.
  for (const line of [...new Set(lines.toReversed())].toReversed()) {
    const rule = ruleOf(line)
    if (!rule || (rule.isComplex && ++complex > MAX_COMPLEX_RULES)) continue
    rules.push(rule)
    if (rules.length === MAX_RULES) break
  }
  return rules
}

/**
 * Parses a line as git does: comments and blank lines are not rules, and a slash that is not at the end anchors a rule
 * to the file's own folder.
 */
function ruleOf(line: string): IgnoreRule | undefined {
  const trimmed = withoutTrailingBlanks(line.endsWith('\r') ? line.slice(0, -1) : line)
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const negated = trimmed.startsWith('!')
  const said = negated ? trimmed.slice(1) : trimmed
  const foldersOnly = said.endsWith('/')
  const pattern = (foldersOnly ? said.slice(0, -1) : said).replace(/^\//, '')
  if (pattern === '') return undefined
  const nameOnly = !said.slice(0, -1).includes('/')
  const simple = nameOnly && !/[?[\\]/.test(pattern) ? starTest(pattern) : undefined
  const matcher = simple ? undefined : globMatcher(pattern, { escapes: true, wholeParts: true, noBraces: true })
  return {
    matches: simple ?? ((text) => matcher!.matches(text)),
    isComplex: simple === undefined && /[*?[\\]/.test(pattern),
    negated,
    foldersOnly,
    nameOnly,
  }
}

/** Tests names against a pattern in which only stars are special. */
export function starTest(pattern: string): (name: string) => boolean {
  const pieces = pattern.split('*')
  const [first = '', ...others] = pieces
  const last = others.pop()
  if (last === undefined) return (name) => name === pattern
  const length = pieces.join('').length
  return (name) => {
    if (name.length < length || !name.startsWith(first) || !name.endsWith(last)) return false
    let at = first.length
    for (const piece of others) {
      const found = name.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return at <= name.length - last.length
  }
}

/** A trailing blank counts only after a backslash. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1
  return line.slice(0, end)
}

function matcherOf(folder: string, name: string): Matcher | undefined {
  const path = join(folder, name)
  // Most folders have none, and an exception costs more than this check. Git also ignores unreadable files.
  const text = existsSync(path) ? readPlainText(path, MAX_FILE_BYTES) : undefined
  if (!text) return undefined
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  return { base: folder.endsWith(sep) ? folder : folder + sep, rules: rulesOf(lines) }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
