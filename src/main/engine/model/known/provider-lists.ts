import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../../../shared/model/errors'
import type { ProviderSettings } from '../../config/settings'
import { limitedText } from '../limited-text'
import { withVersion } from '../wire/with-version'
import type { ModelFacts } from './known-model'
import { listedModels, type ListedModel } from './listed-models'
import { renameOverSync } from '../../workspace/rename-over'

/** How long a provider may take to list its models. */
const LIMIT_MS = 10_000
/** OpenRouter's list has about 1 MB. */
const BODY_LIMIT = 8_000_000

/** What providers say of their own models, as it was last heard. */
export interface ProviderLists {
  /** Asks a provider for its models and remembers them. Throws a `CodedError` with a `model.*` code. */
  ask(provider: ProviderSettings, key: string | undefined): Promise<ListedModel[]>
  /** What its list said of a model; undefined where it was not asked or does not list it. */
  of(provider: ProviderSettings, model: string): ModelFacts | undefined
}

type Kept = Record<string, ListedModel[]>

/** `file`: where the lists are kept for the next process; absent: only for this one. Nothing is asked before somebody wants a list. */
export function createProviderLists({ file, fetch = globalThis.fetch }: { file?: string; fetch?: typeof globalThis.fetch }): ProviderLists {
  let kept: Kept | undefined
  const lists = (): Kept => (kept ??= read(file))
  return {
    async ask(provider, key) {
      const models = listedModels(await request(provider, key, fetch))
      kept = { ...lists(), [addressOf(provider)]: models }
      if (file !== undefined) write(file, kept)
      return models
    },
    of(provider, model) {
      return lists()[addressOf(provider)]?.find((entry) => entry.model === model)
    },
  }
}

const USUAL: Partial<Record<ProviderSettings['type'], string>> = {
  anthropic: 'https://api.anthropic.com',
  google: 'https://generativelanguage.googleapis.com',
  'openai-responses': 'https://api.openai.com/v1',
  moonshot: 'https://api.moonshot.ai/v1',
}

/** Where its models are listed; what is remembered goes by it. */
function addressOf({ type, baseUrl }: ProviderSettings): string {
  const base = baseUrl ?? USUAL[type] ?? ''
  if (type === 'anthropic') return `${withVersion(base, 'v1')}/models?limit=1000`
  if (type === 'google') return `${withVersion(base, 'v1beta')}/models?pageSize=1000`
  return `${base}/models`
}

async function request(provider: ProviderSettings, key: string | undefined, fetch: typeof globalThis.fetch): Promise<unknown> {
  const headers = { accept: 'application/json', ...keyHeaders(provider.type, key), ...provider.headers }
  let response: Response
  try {
    response = await fetch(addressOf(provider), { headers, redirect: 'error', signal: AbortSignal.timeout(LIMIT_MS) })
  } catch (error) {
    const reason =
      error instanceof Error && error.name === 'TimeoutError' ? `It did not answer within ${LIMIT_MS / 1000} s.` : causeOf(error)
    throw new CodedError('model.connection', `The list of models could not be read. ${reason}`)
  }
  if (response.status === 401 || response.status === 403) {
    await response.body?.cancel()
    throw new CodedError('model.auth', `The provider did not accept the key when asked for its models (HTTP ${response.status}).`)
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new CodedError('model.server', `The provider has no list of models (HTTP ${response.status}).`)
  }
  try {
    return JSON.parse(await limitedText(response, BODY_LIMIT))
  } catch {
    throw new CodedError('model.server', 'What the provider sent is no list of models.')
  }
}

function keyHeaders(type: ProviderSettings['type'], key: string | undefined): Record<string, string> {
  if (type === 'anthropic') return { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) }
  if (key === undefined) return {}
  return type === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return `${cause instanceof Error ? cause.message : String(cause)}.`
}

function read(file: string | undefined): Kept {
  if (file === undefined) return {}
  try {
    const text: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof text === 'object' && text !== null && !Array.isArray(text) ? (text as Kept) : {}
  } catch {
    // There is none yet, or it was damaged: it can be asked for again.
    return {}
  }
}

function write(file: string, lists: Kept): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(`${file}.new`, JSON.stringify(lists), { mode: 0o600 })
  renameOverSync(`${file}.new`, file)
}
