import { useMutation } from '@tanstack/react-query'
import type { ProviderType } from '../../shared/model/settings'
import { useClient } from './trestle-context'

/** Asks a provider, which need not be saved yet, for its models. */
export function useOfferedModels() {
  const client = useClient()
  return useMutation({
    mutationFn: (provider: { id?: string; type: ProviderType; baseUrl?: string; apiKey?: string }) =>
      client.settings.offeredModels(provider),
  })
}
