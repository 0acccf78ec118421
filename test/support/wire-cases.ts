import { PROVIDER_TYPES, type ProviderType } from '../../src/shared/configuration/provider-types'
import { createProvider } from '../../src/main/engine/model/adapter/adapter'
import type { Provider } from '../../src/main/engine/model/provider'
import type { ModelScript, WireName } from './model-script'
import { startModelServer, type ModelServer } from './model-server'

/** Every provider type with its protocol. */
export const WIRE_OF: Readonly<Record<ProviderType, WireName>> = {
  'openai-compatible': 'chat',
  moonshot: 'chat',
  'openai-responses': 'responses',
  anthropic: 'anthropic',
  google: 'gemini',
}

export const ALL_TYPES = PROVIDER_TYPES

/** The key of all providers in `playing`. */
export const TEST_KEY = 'sk-test-4f1c0de9a7'

/** Runs `test` with a server that plays `script` and a provider that uses it. */
export async function playing(
  type: ProviderType,
  script: ModelScript,
  test: (provider: Provider, server: ModelServer) => Promise<void>,
): Promise<void> {
  const server = await startModelServer({ script })
  try {
    const provider = await createProvider(
      { type, baseUrl: server.baseUrl, headers: { 'x-project': 'trestle' } },
      { key: TEST_KEY },
    )
    await test(provider, server)
  } finally {
    await server.close()
  }
}

/** A signal that is never aborted. */
export function unstopped(): AbortSignal {
  return new AbortController().signal
}
