import { errorText } from '../../../../shared/error-text'
import { providerFacts } from '../../../../shared/configuration/provider-types'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import { isLoopbackUrl } from '../../../../shared/loopback'
import { portProblem } from '../../../../shared/reserved-ports'
import type { ProviderSettings } from '../../config/settings/settings'
import { withVersion } from '../protocol/protocol'
import type { ModelFacts } from './known-model'
import { listedModels, type ListedModel } from './listed-models'
import { renameOverSync } from '../../workspace/file/atomic-write'
import type { FoundServer } from '../../../../shared/configuration/settings'

/** How long a provider may take to list its models. */
const LIMIT_MS = 10_000
/** OpenRouter's list is about 1 MB. */
const MAX_LIST_CHARS = 8_000_000

/** The providers' own lists of models, as last fetched. */
export interface ProviderLists {
  /** Asks a provider for its models and remembers them. Throws a `CodedError` with a `model.*` code. */
  fetchModels(provider: ProviderSettings, key: string | undefined): Promise<ListedModel[]>
  /** The list's entry for a model; undefined if the list was not fetched or lacks the model. */
  get(provider: ProviderSettings, model: string): ModelFacts | undefined
}

type Kept = Record<string, ListedModel[]>

/**
 * `file`: where the lists are kept for the next process; absent: only for this one. Nothing is requested before a list
 * is needed.
 */
export function createProviderLists({
  file,
  fetch = globalThis.fetch,
}: {
  file?: string
  fetch?: typeof globalThis.fetch
}): ProviderLists {
  let kept: Kept | undefined
  const lists = (): Kept => (kept ??= read(file))
  return {
    async fetchModels(provider, key) {
      const models = listedModels(await request(provider, key, fetch))
      kept = { ...lists(), [addressOf(provider)]: models }
      if (file !== undefined) write(file, kept)
      return models
    },
    get(provider, model) {
      return lists()[addressOf(provider)]?.find((entry) => entry.model === model)
    },
  }
}

/** The URL that lists its models; also the cache key. */
function addressOf({ type, baseUrl }: ProviderSettings): string {
  const base = baseUrl ?? providerFacts(type).defaultUrl ?? ''
  if (type === 'anthropic') return `${withVersion(base, 'v1')}/models?limit=1000`
  if (type === 'google') return `${withVersion(base, 'v1beta')}/models?pageSize=1000`
  return `${base}/models`
}

async function request(
  provider: ProviderSettings,
  key: string | undefined,
  fetch: typeof globalThis.fetch,
): Promise<unknown> {
  const headers = { accept: 'application/json', ...keyHeaders(provider.type, key), ...provider.headers }
  let response: Response
  try {
    response = await fetch(addressOf(provider), { headers, redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) })
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError'
        ? `It did not answer within ${LIMIT_MS / 1000} s.`
        : causeOf(error, addressOf(provider))
    throw new CodedError('model.connection', `The list of models could not be read. ${reason}`)
  }
  if (response.status === 401 || response.status === 403) {
    await response.body?.cancel()
    throw new CodedError(
      'model.auth',
      `The provider did not accept the key when asked for its models (HTTP ${response.status}).`,
    )
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new CodedError('model.server', `The provider has no list of models (HTTP ${response.status}).`)
  }
  try {
    return JSON.parse(await limitedText(response, MAX_LIST_CHARS))
  } catch {
    throw new CodedError('model.server', 'What the provider sent is not a list of models.')
  }
}

function keyHeaders(type: ProviderSettings['type'], key: string | undefined): Record<string, string> {
  if (type === 'anthropic') return { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }
  if (key === undefined) return {}
  return type === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

function causeOf(error: unknown, address: string): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = errorText(cause)
  const badPort = message === 'bad port' ? portProblem(address) : undefined
  return badPort === undefined ? `${message}.` : `${address} ${badPort}`
}

function read(file: string | undefined): Kept {
  if (file === undefined) return {}
  try {
    const text: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof text === 'object' && text !== null && !Array.isArray(text) ? (text as Kept) : {}
  } catch {
    // Missing or damaged: the lists can be requested again.
    return {}
  }
}

function write(file: string, lists: Kept): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, JSON.stringify(lists), { mode: 0o600 })
  renameOverSync(`${file}.new`, file)
}

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

/**
 * Whether an address is that of a usual local server. Other servers on this machine may forward requests to a paid API.
 */
export function isLocalServer(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || !isLoopbackUrl(baseUrl)) return false
  const { port } = new URL(baseUrl)
  return LOCAL_SERVERS.some((server) => String(server.port) === port)
}

/** A local server that answered. */
export interface LocalServer extends FoundServer {
  slug: string
  /** Tokens; absent if the server does not report it. */
  windows: Readonly<Record<string, number>>
}

/** The most that is read of a response: other programs may listen on these ports, too. */
const MAX_LOCAL_LIST_CHARS = 1_000_000

/**
 * Probes the usual loopback ports in parallel for at most `limitMs`. Nothing leaves the machine; ports without a model
 * server are omitted.
 */
export async function discoverLocalServers(
  options: { servers?: readonly LocalServerKind[]; limitMs?: number } = {},
): Promise<LocalServer[]> {
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
  const models = listedModels(JSON.parse(await limitedText(response, MAX_LOCAL_LIST_CHARS)))
  if (models.length === 0) return undefined
  const windows = Object.fromEntries(
    models.flatMap(({ model, contextWindow }) => (contextWindow === undefined ? [] : [[model, contextWindow]])),
  )
  return {
    slug: server.slug,
    name: server.name,
    baseUrl: `${root}/v1`,
    models: models.map(({ model }) => model),
    windows,
  }
}

/**
 * The text of a response; throws if it is longer than `limit` characters, because a different program may have
 * answered.
 */
async function limitedText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  if (!response.body) return text
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > limit) throw new Error('too long for a list of models')
  }
  return text
}
