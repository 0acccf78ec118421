import type { FoundServer } from '../../../shared/model/settings'
import { fieldOf } from './field-of'

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
  const models = modelsIn(JSON.parse(await limited(response)))
  if (models.length === 0) return undefined
  const windows = Object.fromEntries(models.flatMap(({ name, window }) => (window === undefined ? [] : [[name, window]])))
  return { slug: server.slug, name: server.name, baseUrl: `${root}/v1`, models: models.map((model) => model.name), windows }
}

/** Names of models that can talk, from `{data:[{id}]}` or Ollama's `{models:[{name}]}`. */
function modelsIn(body: unknown): { name: string; window: number | undefined }[] {
  const list = fieldOf(body, 'data') ?? fieldOf(body, 'models')
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown) => {
    const name = fieldOf(entry, 'id') ?? fieldOf(entry, 'name')
    if (typeof name !== 'string' || name === '' || /embed|rerank/i.test(name)) return []
    const meta = fieldOf(entry, 'meta')
    const window =
      fieldOf(entry, 'max_model_len') ?? fieldOf(entry, 'max_context_length') ?? fieldOf(meta, 'n_ctx') ?? fieldOf(meta, 'n_ctx_train')
    return [{ name, window: typeof window === 'number' && window > 0 ? window : undefined }]
  })
}

async function limited(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  if (!response.body) return text
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > BODY_LIMIT) throw new Error('too long for a list of models')
  }
  return text
}
