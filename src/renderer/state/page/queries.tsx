import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrestleClient } from '../../../shared/contract'
import type { SettingsView } from '../../../shared/configuration/settings'
import { desktopBridge } from './desktop-bridge'

type TrestleQueries = ReturnType<typeof createTanstackQueryUtils<TrestleClient>>

const TrestleContext = createContext<{ client: TrestleClient; queries: TrestleQueries } | undefined>(undefined)

/** Provides the connection to the engine to everything below it. */
export function TrestleProvider({ client, children }: { client: TrestleClient; children: ReactNode }) {
  const value = useMemo(() => ({ client, queries: createTanstackQueryUtils(client) }), [client])
  return <TrestleContext value={value}>{children}</TrestleContext>
}

function useTrestleContext() {
  const value = useContext(TrestleContext)
  if (!value) throw new Error('TrestleProvider is missing above this component')
  return value
}

/** The typed client: `await client.session.stop({ sessionId })`. */
export function useClient(): TrestleClient {
  return useTrestleContext().client
}

/** The same methods as TanStack Query options: `useQuery(queries.settings.get.queryOptions())`. */
export function useQueries(): TrestleQueries {
  return useTrestleContext().queries
}

/** The settings, cached until the engine reports a change. */
export function useSettings() {
  const queries = useQueries()
  return useQuery(queries.settings.get.queryOptions({ staleTime: Infinity }))
}

/** Version, folders, notices: fixed while the engine runs. */
export function useAppInfo() {
  const queries = useQueries()
  return useQuery(queries.app.info.queryOptions({ staleTime: Infinity }))
}

/** A change of the settings; its response is the new view and replaces the old one. */
export function useSettingsChange<Input>(
  change: (settings: TrestleClient['settings'], input: Input) => Promise<SettingsView>,
) {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(client.settings, input),
    onSuccess: (view) => queryClient.setQueryData(queries.settings.get.queryKey(), view),
  })
}

/** The state of the desktop app; undefined in a browser, and until it is loaded. */
export function useDesktopView() {
  const queries = useQueries()
  const { data } = useQuery(
    queries.desktop.view.queryOptions({ staleTime: Infinity, enabled: desktopBridge() !== undefined }),
  )
  return data ?? undefined
}
