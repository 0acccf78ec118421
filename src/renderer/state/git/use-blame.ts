import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { GitBlameRun } from '../../../shared/model/project/git'
import { useQueries } from '../page/queries'

export interface Blame {
  /** Who last changed a line, by its number from 1. */
  of(line: number): GitBlameRun | undefined
  /** Why it is unknown, e.g. because the folder has no repository. */
  error: Error | null
  isLoading: boolean
}

/** Who last changed each line of a session's file, queried while `on`. `version` changes with the file's content. */
export function useBlame(sessionId: string, path: string, on: boolean, version: string): Blame {
  const queries = useQueries()
  const { data, error, isLoading } = useQuery({
    ...queries.git.blame.queryOptions({ input: { sessionId, path }, enabled: on, retry: false, staleTime: Infinity }),
    queryKey: [['git', 'blame'], sessionId, path, version],
  })
  return useMemo(
    () => ({
      error,
      isLoading,
      of: (line) => data?.findLast((run) => run.line <= line && line < run.line + run.count),
    }),
    [data, error, isLoading],
  )
}
