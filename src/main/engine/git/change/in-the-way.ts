import { headCommit } from '../repository/current-branch'
import { isUtf8 } from 'node:buffer'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitPath } from '../../../../shared/model/project/git'
import { gitPath, isInFolder, pathArgument, pathBytes } from '../run/git-path'
import type { OpenRepository } from '../repository/open-repository'

const MAX_NAMED = 5
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Throws `git.would_overwrite` when checking out `target` would replace files that git does not track. Git itself
 * protects new files, but silently overwrites ignored ones. `since`: considers only files that `target` adds to this
 * commit, or all its files with `none`. `saved`: a tree whose files can be replaced, instead of the tracked ones.
 */
export async function requireNothingInTheWay(
  repository: OpenRepository,
  target: string,
  { alsoReplayed = false, since, saved }: { alsoReplayed?: boolean; since?: string; saved?: string } = {},
): Promise<void> {
  const added = new Set(await addedBy(repository, target, since))
  if (alsoReplayed)
    for (const path of await listed(repository, [
      'log',
      '--format=',
      '--name-only',
      '-z',
      '--diff-filter=A',
      '--no-renames',
      `${target}..HEAD`,
    ]))
      added.add(path)
  if (added.size === 0) return
  const suspects = [...added].filter((path) => isOnDisk(repository.top, path))
  if (suspects.length === 0) return
  const tracked = new Set(
    await listed(repository, saved === undefined ? ['ls-files', '-z'] : ['ls-tree', '-r', '-z', '--name-only', saved]),
  )
  const found: GitPath[] = []
  for (const path of suspects) {
    if (tracked.has(path)) continue
    if (await isUntracked(repository, path, tracked)) found.push(path)
  }
  if (found.length === 0) return
  const names = found.slice(0, MAX_NAMED).map(gitPathText).join(', ')
  const more = found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ''
  throw new CodedError(
    'git.would_overwrite',
    `These files are not in Git and would be overwritten: ${names}${more}. Move them away first.`,
  )
}

async function addedBy(repository: OpenRepository, target: string, since?: string): Promise<GitPath[]> {
  const head = since === 'none' ? undefined : (since ?? (await headCommit(repository)))
  return head === undefined
    ? listed(repository, ['ls-tree', '-r', '-z', '--name-only', target])
    : listed(repository, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=AT', head, target])
}

async function listed(repository: OpenRepository, args: readonly string[]): Promise<GitPath[]> {
  const { stdout } = await repository.read(args, { maxBytes: MAX_BYTES })
  const names = stdout.toString('latin1').split('\0')
  return names
    .map((name) => name.replace(/^\n+/, ''))
    .filter((name) => name !== '')
    .map(gitPath)
}

/** Whether something exists at a path, or a file where one of its folders would be. */
function isOnDisk(top: string, path: GitPath): boolean {
  for (const at of placesOf(top, path)) {
    const stat = lstatSync(at, { throwIfNoEntry: false })
    if (!stat) return false
    if (!stat.isDirectory()) return true
  }
  return true
}

/** Whether what exists there is untracked: a file at the path or above it, or files below it. */
async function isUntracked(repository: OpenRepository, path: GitPath, tracked: ReadonlySet<GitPath>): Promise<boolean> {
  const parts = pathBytes(path).toString('latin1').split('/')
  for (const [at, place] of [...placesOf(repository.top, path)].slice(0, -1).entries()) {
    const stat = lstatSync(place, { throwIfNoEntry: false })
    if (!stat) return false
    if (!stat.isDirectory()) return !tracked.has(gitPath(parts.slice(0, at + 1).join('/')))
  }
  const argument = pathArgument(path)
  // For a name that is not text, the argument is a pattern, which does not match files below and may match others.
  const patterns = path.startsWith('\0') ? [argument, `${argument}/**`] : [argument]
  const found = await listed(repository, ['ls-files', '-z', '--others', '--', ...patterns])
  const folder = gitPath(`${parts.join('/')}/`)
  return found.some((name) => !tracked.has(name) && (name === path || isInFolder(name, folder)))
}

/** The path on disk of each folder above a path, outermost first, and then of the path itself. */
function* placesOf(top: string, path: GitPath): Generator<string | Buffer> {
  const latin1 = pathBytes(path).toString('latin1')
  for (let end = latin1.indexOf('/'); ; end = latin1.indexOf('/', end + 1)) {
    const bytes = Buffer.from(end < 0 ? latin1 : latin1.slice(0, end), 'latin1')
    yield isUtf8(bytes) ? join(top, bytes.toString('utf8')) : Buffer.concat([Buffer.from(`${top}/`), bytes])
    if (end < 0) return
  }
}
