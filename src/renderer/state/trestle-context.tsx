import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import type { TrestleClient } from '../../shared/contract'

type TrestleQueries = ReturnType<typeof createTanstackQueryUtils<TrestleClient>>

const TrestleContext = createContext<{ client: TrestleClient; queries: TrestleQueries } | undefined>(undefined)

/** Gives everything below it the connection to the engine. */
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
