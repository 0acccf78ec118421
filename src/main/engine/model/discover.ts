import type { FoundServer } from '../../../shared/model/settings'
import { listedModels } from './known/listed-models'
import { limitedText } from './limited-text'

/** A kind of local model server and where it listens by default. */
export interface LocalServerKind {
  /** First part of the ids of its models. */
  slug: string
  name: string
  port: number
  /** Lists its models. */
  path: string
}

export const LOCAL_SERVERS: readonly LocalServerKind[] = [
  { slug: 'ollama', name: 'Ollama', port: 11434, path: '/api/tags' },
  { slug: 'lm-studio', name: 'LM Studio', port: 1234, path: '/v1/models' },
  { slug: 'llama-cpp', name: 'llama.cpp', port: 8080, path: '/v1/models' },
  { slug: 'vllm', name: 'vLLM', port: 8000, path: '/v1/models' },
  { slug: 'jan', name: 'Jan', port: 1337, path: '/v1/models' },
]

/** A local server that answered. */
export interface LocalServer extends FoundServer {
  slug: string
  /** Tokens, where the server tells. */
  windows: Readonly<Record<string, number>>
}

/** What is read of an answer at most: other programs listen on these ports too. */
const BODY_LIMIT = 1_000_000

/** Asks the usual loopback ports, all at once, for at most `limitMs`. Nothing leaves the machine; a port without a model server is left out. */
export async function discoverLocal(options: { servers?: readonly LocalServerKind[]; limitMs?: number } = {}): Promise<LocalServer[]> {
  const { servers = LOCAL_SERVERS, limitMs = 500 } = options
  const found = await Promise.all(servers.map((server) => ask(server, limitMs).catch(() => undefined)))
  return found.filter((server) => server !== undefined)
}

async function ask(server: LocalServerKind, limitMs: number): Promise<LocalServer | undefined> {
  const root = `http://127.0.0.1:${server.port}`
  const response = await fetch(root + server.path, {
    redirect: 'error',
    signal: AbortSignal.timeout(limitMs),
    headers: { accept: 'application/json' },
  })
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) {
    await response.body?.cancel()
    return undefined
  }
  const models = listedModels(JSON.parse(await limitedText(response, BODY_LIMIT)))
  if (models.length === 0) return undefined
  const windows = Object.fromEntries(
    models.flatMap(({ model, contextWindow }) => (contextWindow === undefined ? [] : [[model, contextWindow]])),
  )
  return { slug: server.slug, name: server.name, baseUrl: `${root}/v1`, models: models.map(({ model }) => model), windows }
}
