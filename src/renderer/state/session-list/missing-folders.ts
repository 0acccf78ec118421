import { useQueries as useAllQueries, useQuery } from '@tanstack/react-query'
import { failureFrom } from '../../client/failure-from'
import { useQueries } from '../page/queries'

/** How often a visible folder is checked, in ms. */
const RECHECK_MS = 60_000

/**
 * Whether a project's folder is missing. Only the engine's answer counts: a lost connection does not mean a missing
 * folder.
 */
export function useFolderMissing(folder: string): boolean {
  const look = useLook()
  return isMissing(useQuery(look(folder)))
}

/** The folders known to be missing. */
export function useMissingFolders(folders: readonly string[]): ReadonlySet<string> {
  const look = useLook()
  const found = useAllQueries({ queries: folders.map(look) })
  return new Set(folders.filter((_folder, index) => isMissing(found[index])))
}

function useLook() {
  const queries = useQueries()
  return (folder: string) =>
    queries.folder.list.queryOptions({
      input: { path: folder },
      staleTime: RECHECK_MS,
      retry: false,
      select: () => true,
    })
}

function isMissing(look: { error: Error | null } | undefined): boolean {
  return look?.error ? failureFrom(look.error).code === 'folder.missing' : false
}
