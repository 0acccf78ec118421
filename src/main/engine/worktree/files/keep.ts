import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenRepository } from '../../git/repository/open-repository'
import { readSmallFile } from '../../git/run/git-files'
import type { Snapshot } from './snapshot'

/** Our commits do not need the user's name. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'Trestle',
  GIT_AUTHOR_EMAIL: 'trestle@localhost',
  GIT_COMMITTER_NAME: 'Trestle',
  GIT_COMMITTER_EMAIL: 'trestle@localhost',
}
const MAX_LOG_BYTES = 16 * 1024 * 1024
/** With more, the command line would be too long for some systems. */
const MAX_PARENTS = 200

/** The commits and trees that keep a removed worktree in its repository. */
export interface Keep {
  /** A commit with all files of the worktree; its parents keep everything else. */
  keep: string
  /** The tree that was staged. */
  index?: string
}

export function keepRef(id: string): string {
  return `refs/trestle/worktrees/${id}`
}

/**
 * Creates a commit with the files of a snapshot, and a ref to it. The commit also keeps what is staged and every commit
 * that only this worktree refers to, such as the original of an amended one.
 */
export async function makeKeep(repository: OpenRepository, id: string, snapshot: Snapshot): Promise<Keep> {
  const index = snapshot.index && (await commitTree(repository, snapshot.index, stagedMessage(id), [snapshot.commit]))
  let only = await commitsOnlyHere(repository, snapshot.commit)
  while (only.length > MAX_PARENTS) {
    const some = only.slice(0, MAX_PARENTS)
    const group = await commitTree(repository, snapshot.tree, `Commits of the worktree ${id}\n`, some)
    only = [...only.slice(MAX_PARENTS), group]
  }
  const parents = [snapshot.commit, ...(index ? [index] : []), ...only, ...(await keptBefore(repository, id))]
  const keep = await commitTree(repository, snapshot.tree, `The files of the worktree ${id}\n`, parents)
  await repository.write(['update-ref', keepRef(id), keep])
  return { keep, ...(index && { index }) }
}

/** Keeps the staged tree before everything is committed, because files may have changed since they were staged. */
export async function keepStaged(repository: OpenRepository, id: string, tree: string): Promise<void> {
  const parents = ['HEAD', ...(await keptBefore(repository, id))]
  const keep = await commitTree(repository, tree, stagedMessage(id), parents)
  await repository.write(['update-ref', keepRef(id), keep])
}

function stagedMessage(id: string): string {
  return `What was staged in the worktree ${id}\n`
}

/** The commit kept by an earlier removal: files may have changed since the restore. */
async function keptBefore(repository: OpenRepository, id: string): Promise<string[]> {
  const before = await repository.maybe(['rev-parse', '--verify', '--quiet', `${keepRef(id)}^{commit}`])
  return before === undefined ? [] : [before]
}

async function commitTree(
  repository: OpenRepository,
  tree: string,
  message: string,
  parents: readonly string[],
): Promise<string> {
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])]
  const { stdout } = await repository.write(args, { env: AUTHOR, input: message })
  return stdout.toString('latin1').trim()
}

/** The tips of commits that no branch or tag contains, but that git's files for this worktree refer to. */
async function commitsOnlyHere(repository: OpenRepository, head: string): Promise<string[]> {
  const branch = await repository.maybe(['symbolic-ref', '--quiet', 'HEAD'])
  const logs = [
    ...smallFilesIn(repository.gitDir),
    ...(branch === undefined ? [] : [join(repository.commonDir, 'logs', ...branch.split('/'))]),
  ]
  const named = new Set<string>()
  for (const file of logs)
    for (const [hash] of (readSmallFile(file, MAX_LOG_BYTES) ?? '').matchAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g))
      if (!/^0+$/.test(hash)) named.add(hash)
  if (named.size === 0) return []
  const { stdout } = await repository.read(['cat-file', '--batch-check=%(objecttype) %(objectname)'], {
    input: `${[...named].join('\n')}\n`,
  })
  const commits = stdout
    .toString('latin1')
    .split('\n')
    .flatMap((line) => (line.startsWith('commit ') ? [line.slice(7)] : []))
  if (commits.length === 0) return []
  const unknown = await repository.text(
    ['rev-list', '--parents', '--stdin', '--not', '--branches', '--tags', '--remotes'],
    { input: `${[...commits, `^${head}`].join('\n')}\n`, maxBytes: 256 * 1024 * 1024 },
  )
  const lines = unknown.split('\n').filter((line) => line !== '')
  const hasChild = new Set(lines.flatMap((line) => line.split(' ').slice(1)))
  return lines.map((line) => line.split(' ', 1)[0]!).filter((hash) => !hasChild.has(hash))
}

/** Git's text files for a worktree: HEAD, logs, its own refs, the state of an operation in progress. */
function smallFilesIn(folder: string): string[] {
  const found: string[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'modules') found.push(...smallFilesIn(path))
    else if (entry.isFile() && entry.name !== 'index' && statSync(path).size <= MAX_LOG_BYTES) found.push(path)
  }
  return found
}
