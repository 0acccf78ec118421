import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FoundServer } from '../../shared/configuration/settings'
import { useClient, useQueries } from './page/queries'

/** Detects model servers on this machine. Detected models can be used immediately, so the settings are read again. */
export function useDetectLocalModels() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const search = useMutation({
    mutationFn: () => client.settings.findLocal(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queries.settings.key() }),
  })
  return { ...search, found: search.data ? detectedServersText(search.data) : '' }
}

/** The result as one sentence. */
function detectedServersText(servers: readonly FoundServer[]): string {
  if (servers.length === 0)
    return 'No local models found. Ollama, LM Studio and llama.cpp are detected on their default ports.'
  return servers
    .map(
      ({ name, models }) =>
        `${name}: ${models.length === 0 ? 'no models' : models.length === 1 ? '1 model' : `${models.length} models`}`,
    )
    .join(' · ')
}
