import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrestleClient } from '../../shared/contract'
import type { SettingsView } from '../../shared/model/settings'
import { useClient, useQueries } from './trestle-context'

/** The settings, kept until the engine says that they changed. */
export function useSettings() {
  const queries = useQueries()
  return useQuery(queries.settings.get.queryOptions({ staleTime: Infinity }))
}

/** Version, folders, notices: fixed for as long as the engine runs. */
export function useAppInfo() {
  const queries = useQueries()
  return useQuery(queries.app.info.queryOptions({ staleTime: Infinity }))
}

/** A change of the settings; its answer is the new view and takes the place of the old one. */
export function useSettingsChange<Input>(change: (settings: TrestleClient['settings'], input: Input) => Promise<SettingsView>) {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => change(client.settings, input),
    onSuccess: (view) => queryClient.setQueryData(queries.settings.get.queryKey(), view),
  })
}
