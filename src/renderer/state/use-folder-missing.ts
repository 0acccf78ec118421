import { useQuery } from '@tanstack/react-query'
import { useQueries } from './trestle-context'

/** How often a folder on screen is looked at again, in ms. */
const LOOK_AGAIN = 60_000

/** Whether a project's folder is missing. Only the engine's answer counts: a lost connection says nothing about the folder. */
export function useFolderMissing(folder: string): boolean {
  const queries = useQueries()
  const { error } = useQuery(
    queries.folder.list.queryOptions({ input: { path: folder }, staleTime: LOOK_AGAIN, retry: false, select: () => true }),
  )
  return error !== null && /no such folder|not a folder/.test(error.message)
}
