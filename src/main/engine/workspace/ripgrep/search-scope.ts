import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { globMatcher } from '../path/glob-matcher'
import { hasIgnoreFileAbove, ignoreFilter, IGNORE_FILES, isInIgnoredFolder } from '../path/ignore-rules'
import { repositoryRoot } from '../path/repository-root'

/** Folders of version control systems, which are never searched. */
export const VCS_FOLDERS = ['.git', '.hg', '.svn', '.bzr', '.jj', '.sl'] as const

const IN_VCS = new RegExp(`(?:^|[\\\\/])(?:${VCS_FOLDERS.map((name) => `\\${name}`).join('|')})(?:[\\\\/]|$)`, 'i')

/** Whether a path is such a folder or is in one. For paths below `root`, only the part after `root` counts. */
export function inVcsFolder(path: string, root: string): boolean {
  return IN_VCS.test(path.startsWith(root + sep) ? path.slice(root.length + 1) : path === root ? '' : path)
}

export interface SearchScope {
  /** Arguments for ripgrep that select the files to search. */
  args: string[]
  /** Whether one of ripgrep's results is outside the scope; arguments cannot express all of the scope (see below). */
  excludes(path: string): boolean
  /** Whether `glob` allows the file. */
  matchesGlob(path: string): boolean
}

export interface ScopeOptions {
  /**
   * Only files that match it; with a leading `!`, only files that don't. Without a slash it applies to names, with one
   * to paths relative to `root` or `folder`.
   */
  glob?: string
  /** One of ripgrep's file types. */
  type?: string
  /** Only one file in `folder` is searched, even if an ignore rule hides it. */
  file?: boolean
  includeIgnored?: boolean
}

/**
 * Everything below `folder` that .gitignore and .trestleignore do not hide, including hidden files but never version
 * control; settings of the user's machine don't affect it. ripgrep must run in `root` if `folder` is in it, otherwise
 * in `folder`.
 */
export async function searchScope(folder: string, root: string, options: ScopeOptions = {}): Promise<SearchScope> {
  const { glob, type, file = false, includeIgnored = false } = options
  const globs = glob === undefined ? [] : globsFor(glob, folder, root)
  // In ripgrep, a file that matches a glob needs no type and is never ignored, so if there is a type, too, we check the
  // glob ourselves.
  const ours = type !== undefined && globs.length > 0 && !glob?.startsWith('!')
  const args = ['--color=never', '--null', '--hidden', ...(type === undefined ? [] : [`--type=${type}`])]
  if (!ours) args.push(...globs.flatMap((each) => ['--glob', each]))
  // Last, so that no glob of the caller can include them again.
  args.push(...VCS_FOLDERS.flatMap((name) => ['--glob', `!${name}`]))
  const cwd = cwdOf(folder, root)
  const matches = ours ? globFilter(globs, cwd) : () => true
  const isNegated = glob?.startsWith('!') === true
  let inGlob: ((path: string) => boolean) | undefined
  const matchesGlob = (path: string): boolean => {
    if (globs.length === 0) return true
    inGlob ??= globFilter(isNegated ? globs.map((each) => each.slice(1)) : globs, cwd)
    return inGlob(path) !== isNegated
  }
  // On a disk that ignores case, .GIT is .git.
  const isOut = (path: string): boolean => !matches(path) || (!file && inVcsFolder(path, folder))
  if (includeIgnored || file) return { args: [...args, '--no-ignore'], excludes: isOut, matchesGlob }
  args.push('--no-require-git', '--no-ignore-global', '--no-ignore-exclude', '--no-ignore-dot', '--no-ignore-messages')
  // ripgrep would read ignore files up to the root of the disk, even above a repository; a stray ~/.gitignore must not
  // hide a whole project. It would also apply rules above an ignored folder that was requested by name.
  const top = repositoryRoot(folder)
  const hasParents = top !== undefined && folder !== top && !isInIgnoredFolder(folder, root)
  const usesParents = hasParents && !hasIgnoreFileAbove(top)
  if (!usesParents) args.push('--no-ignore-parent')
  if (hasParents && !usesParents && cwd === top) args.push(...topRules(folder, top))
  // The ignore files that we apply: .trestleignore, which ripgrep does not know, and also .gitignore, unless ripgrep
  // reads all of those and no glob overrides them.
  const heedsAll = (usesParents || folder === (top ?? root)) && globs.length === 0
  const rest = heedsAll ? IGNORE_FILES.filter((name) => name !== '.gitignore') : IGNORE_FILES
  let isIgnored: ((path: string) => boolean) | undefined
  return {
    args,
    excludes: (path) => isOut(path) || (isIgnored ??= ignoreFilter(folder, root, rest))(path),
    matchesGlob,
  }
}

/**
 * The ignore file of the repository, where ripgrep runs, as an argument: without it, ripgrep would search folders such
 * as node_modules. Not if a file in between can override it.
 */
function topRules(folder: string, top: string): string[] {
  for (let at = dirname(folder); at !== top; at = dirname(at))
    if (IGNORE_FILES.some((name) => existsSync(join(at, name)))) return []
  return existsSync(join(top, '.gitignore')) ? ['--ignore-file=.gitignore'] : []
}

function cwdOf(folder: string, root: string): string {
  return folder === root || folder.startsWith(root + sep) ? root : folder
}

/**
 * A glob with a slash can be relative to the project folder, where ripgrep runs, or to the searched folder: returns
 * both.
 */
function globsFor(glob: string, folder: string, root: string): string[] {
  const [mark, rest] = glob.startsWith('!') ? ['!', glob.slice(1)] : ['', glob]
  const whole = rest.startsWith(`${root}/`) ? rest.slice(root.length) : rest.replace(/^\.\//, '/')
  const inner = whole.replace(/^\//, '')
  const below = folder.startsWith(root + sep) ? relative(root, folder).replaceAll(sep, '/') : ''
  if (below === '' || !whole.includes('/')) return [mark + whole]
  return [mark + whole, `${mark}/${below.replace(/[*?[\]{}!\\]/g, String.raw`\$&`)}/${inner}`]
}

function globFilter(globs: readonly string[], cwd: string): (path: string) => boolean {
  const matchers = globs.map((glob) => ({
    matcher: globMatcher(glob.replace(/^\//, ''), { escapes: sep === '/', wholeParts: true }),
    nameOnly: !glob.includes('/'),
  }))
  return (path) => {
    const inner = relative(cwd, path).replaceAll(sep, '/')
    return matchers.some(({ matcher, nameOnly }) =>
      matcher.matches(nameOnly ? inner.slice(inner.lastIndexOf('/') + 1) : inner),
    )
  }
}
