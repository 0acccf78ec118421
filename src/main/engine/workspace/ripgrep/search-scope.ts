import { relative, sep } from 'node:path'
import { globMatcher } from '../path/glob-matcher'
import { ignoreFilter, IGNORE_FILES } from '../path/ignore-rules'
import { repositoryRoot } from '../path/repository-root'

/** Folders of version control: never searched. */
export const VCS_FOLDERS = ['.git', '.hg', '.svn', '.bzr', '.jj', '.sl'] as const

const IN_VCS = new RegExp(`(?:^|[\\\\/])(?:${VCS_FOLDERS.map((name) => `\\${name}`).join('|')})(?:[\\\\/]|$)`, 'i')

/** Whether a path is such a folder or lies in one. Below `root` only what comes after it counts. */
export function inVcsFolder(path: string, root: string): boolean {
  return IN_VCS.test(path.startsWith(root + sep) ? path.slice(root.length + 1) : path === root ? '' : path)
}

export interface SearchScope {
  /** Arguments for ripgrep: which files it looks at. */
  args: string[]
  /** ripgrep cannot be told everything (see below): whether one of its results does not belong to the scope. */
  excludes(path: string): boolean
  /** Whether a file could be in the scope as far as `glob` goes. */
  matchesGlob(path: string): boolean
}

export interface ScopeOptions {
  /**
   * Only files that it matches; with `!` in front only others. Without a slash it is about names, with one about paths
   * from `root` or `folder`.
   */
  glob?: string
  /** One of ripgrep's file types. */
  type?: string
  /** Only this file in `folder` is searched, whatever hides it. */
  file?: boolean
  includeIgnored?: boolean
}

/**
 * Everything below `folder` that .gitignore and .trestleignore do not hide: hidden files too, version control never,
 * and no setting of the user's machine changes it. ripgrep has to run in `root` when `folder` lies in it, else in
 * `folder`.
 */
export async function searchScope(folder: string, root: string, options: ScopeOptions = {}): Promise<SearchScope> {
  const { glob, type, file = false, includeIgnored = false } = options
  const globs = glob === undefined ? [] : globsFor(glob, folder, root)
  // For ripgrep a file that a glob matches needs no type and is never ignored: together with a type, the glob is ours
  // to check.
  const ours = type !== undefined && globs.length > 0 && !glob?.startsWith('!')
  const args = ['--color=never', '--null', '--hidden', ...(type === undefined ? [] : [`--type=${type}`])]
  if (!ours) args.push(...globs.flatMap((each) => ['--glob', each]))
  // Last, so that no glob of the caller's can bring them back.
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
  // Outside a repository ripgrep would go up to the root of the disk; a stray ~/.gitignore must not hide a whole
  // project.
  const inRepository = repositoryRoot(folder) !== undefined
  if (!inRepository) args.push('--no-ignore-parent')
  // ripgrep does not know .trestleignore; .gitignore only where it looks at all of them, and no glob overrides them.
  const heedsAll = (inRepository || folder === root) && globs.length === 0
  const rest = heedsAll ? IGNORE_FILES.filter((name) => name !== '.gitignore') : IGNORE_FILES
  let isIgnored: ((path: string) => boolean) | undefined
  return {
    args,
    excludes: (path) => isOut(path) || (isIgnored ??= ignoreFilter(folder, root, rest))(path),
    matchesGlob,
  }
}

function cwdOf(folder: string, root: string): string {
  return folder === root || folder.startsWith(root + sep) ? root : folder
}

/**
 * A glob with a slash may be meant from the project folder, where ripgrep runs, or from the folder that is searched.
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
