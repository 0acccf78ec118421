import { PROVIDER_TYPE_ALIASES, PROVIDER_TYPES, type ProviderType } from '../../../shared/model/settings'
import { UsageError, type Parsed } from '../../command-line/parse'

/** What a provider of this name speaks, when nothing else is said. */
const BY_NAME: Readonly<Record<string, ProviderType>> = {
  anthropic: 'anthropic',
  claude: 'anthropic',
  openai: 'openai-responses',
  google: 'google',
  gemini: 'google',
  moonshot: 'moonshot',
  kimi: 'moonshot',
}

/** The provider that `trestle provider add NAME` describes, without its key; throws a `UsageError`. */
export function providerFrom(
  id: string,
  values: Parsed['values'],
): { id: string; type: ProviderType; baseUrl?: string; apiKeyEnv?: string } {
  const text = (name: string): string | undefined => (typeof values[name] === 'string' ? values[name] : undefined)
  if (!/^[\w.:@-]{1,64}$/.test(id)) throw wrong(`"${id}" is no name for a provider: letters, digits and . : @ _ -, at most 64.`)
  const baseUrl = text('base-url')
  if (baseUrl !== undefined && !(URL.canParse(baseUrl) && /^https?:\/\/[^\s]+$/i.test(baseUrl)))
    throw wrong(`--base-url needs a whole address, like https://api.example.com/v1; not "${baseUrl}".`)
  const apiKeyEnv = text('key-env')
  if (apiKeyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(apiKeyEnv))
    // It may be the key itself: it is not repeated.
    throw wrong(
      '--key-env needs the name of an environment variable, like OPENAI_API_KEY. To store a key itself, pipe it in with --key-stdin.',
    )
  if ([apiKeyEnv !== undefined, values['key-stdin'] === true, values['no-key'] === true].filter(Boolean).length > 1)
    throw wrong('--key-env, --key-stdin and --no-key exclude each other.')
  const type = typeOf(id, text('type'), baseUrl)
  if (type === undefined) throw wrong(`What does ${id} speak? Say --type: ${PROVIDER_TYPES.join(', ')}.`)
  if (type === 'openai-compatible' && baseUrl === undefined)
    throw wrong('An openai-compatible server has no usual address: give it with --base-url URL.')
  return { id, type, ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }), ...(apiKeyEnv !== undefined && { apiKeyEnv }) }
}

function typeOf(id: string, said: string | undefined, baseUrl: string | undefined): ProviderType | undefined {
  if (said !== undefined) return PROVIDER_TYPES.find((type) => type === said) ?? PROVIDER_TYPE_ALIASES[said]
  return BY_NAME[id] ?? (baseUrl === undefined ? undefined : 'openai-compatible')
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'provider')
}
