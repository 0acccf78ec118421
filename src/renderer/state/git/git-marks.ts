import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GitChangeKind, GitStatus } from '../../../shared/model/project/git'
import { useQueries } from '../page/queries'

/** The git status of a file, or of the files in a folder. */
export type GitMark = 'conflict' | 'untracked' | 'added' | 'modified'

/** The letter and name of each mark. A folder shows the first of these that it contains. */
export const GIT_MARKS: Record<GitMark, { letter: string; name: string }> = {
  conflict: { letter: '!', name: 'conflict' },
  modified: { letter: 'M', name: 'modified' },
  added: { letter: 'A', name: 'added' },
  untracked: { letter: 'U', name: 'untracked' },
}
const ORDER = Object.keys(GIT_MARKS) as GitMark[]

/** Marks by path, absolute and with `/`. */
export interface GitMarks {
  files: ReadonlyMap<string, GitMark>
  /** Folders with marked files in them. */
  folders: ReadonlyMap<string, GitMark>
}

const NO_MARKS: GitMarks = { files: new Map(), folders: new Map() }
/** Other programs change the repository too; Trestle's own changes refresh the marks immediately. */
const REFETCH_MS = 5_000

/**
 * The marks of a session's repository, up to date while they are on screen. Empty without a trusted repository, and
 * while not `isWanted`.
 */
export function useGitMarks(sessionId: string, isWanted: boolean): GitMarks {
  const queries = useQueries()
  const input = { sessionId }
  const { data: summary } = useQuery(queries.git.summary.queryOptions({ input, enabled: isWanted, retry: false }))
  const { data: status } = useQuery(
    queries.git.status.queryOptions({
      input,
      enabled: isWanted && summary?.state === 'ready',
      retry: false,
      refetchInterval: REFETCH_MS,
      refetchOnWindowFocus: 'always',
    }),
  )
  return useMemo(() => (status && summary?.state === 'ready' ? gitMarks(status) : NO_MARKS), [status, summary?.state])
}

/** The marks of all files that differ, and of the folders they are in. */
export function gitMarks({ top, staged, unstaged, conflicts }: GitStatus): GitMarks {
  const files = new Map<string, GitMark>()
  const folders = new Map<string, GitMark>()
  const base = top.replaceAll('\\', '/')
  const add = (path: string, mark: GitMark): void => {
    // A name that is not text cannot be in the tree.
    if (path.startsWith('\0')) return
    const isFolder = path.endsWith('/')
    const full = `${base}/${isFolder ? path.slice(0, -1) : path}`
    if (isFolder) folders.set(full, stronger(folders.get(full), mark))
    // A file that was added and edited since counts as new.
    else files.set(full, files.get(full) === 'added' && mark === 'modified' ? 'added' : stronger(files.get(full), mark))
    for (let at = parentOf(full); at.length > base.length; at = parentOf(at)) {
      const next = stronger(folders.get(at), mark)
      if (next === folders.get(at)) break
      folders.set(at, next)
    }
  }
  for (const { path } of conflicts) add(path, 'conflict')
  for (const { path, kind } of [...staged, ...unstaged]) {
    const mark = markOf(kind)
    if (mark) add(path, mark)
  }
  return { files, folders }
}

function markOf(kind: GitChangeKind): GitMark | undefined {
  switch (kind) {
    case 'conflict':
      return 'conflict'
    case 'untracked':
      return 'untracked'
    case 'added':
    case 'copied':
    case 'renamed':
      return 'added'
    default:
      return 'modified'
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function stronger(a: GitMark | undefined, b: GitMark): GitMark {
  if (a === undefined) return b
  return ORDER.indexOf(a) <= ORDER.indexOf(b) ? a : b
}
