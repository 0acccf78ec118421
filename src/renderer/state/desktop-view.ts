import { useQuery } from '@tanstack/react-query'
import { useQueries } from './trestle-context'
import { desktopBridge } from './desktop-bridge'

/** What the desktop app says of itself; undefined in a browser, and until it is known. */
export function useDesktopView() {
  const queries = useQueries()
  const { data } = useQuery(queries.desktop.view.queryOptions({ staleTime: Infinity, enabled: desktopBridge() !== undefined }))
  return data ?? undefined
}
