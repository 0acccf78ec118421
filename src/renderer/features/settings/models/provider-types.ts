import type { ProviderType } from '../../../../shared/configuration/settings'

interface ProviderWords {
  name: string
  /** The default base URL; undefined when the user must enter one. */
  defaultUrl: string | undefined
  /** The usual environment variable for the key. */
  keyEnv: string
  /** An example of a model ID. */
  modelExample: string
}

/** The provider types with their labels. */
export const PROVIDER_LABELS: Record<ProviderType, ProviderWords> = {
  'openai-compatible': {
    name: 'OpenAI-compatible (Chat Completions)',
    defaultUrl: undefined,
    keyEnv: 'OPENROUTER_API_KEY',
    modelExample: 'anthropic/claude-sonnet-5.5',
  },
  'openai-responses': {
    name: 'OpenAI (Responses)',
    defaultUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    modelExample: 'gpt-6.1-sol',
  },
  anthropic: {
    name: 'Anthropic (Messages)',
    defaultUrl: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
    modelExample: 'claude-sonnet-5-5',
  },
  google: {
    name: 'Google Gemini',
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyEnv: 'GEMINI_API_KEY',
    modelExample: 'gemini-3.8-flash',
  },
  moonshot: {
    name: 'Moonshot (Kimi)',
    defaultUrl: 'https://api.moonshot.ai/v1',
    keyEnv: 'MOONSHOT_API_KEY',
    modelExample: 'kimi-k3.1-pro',
  },
}

/** An ID for a new provider: its type or its host; with a number when taken. */
export function suggestProviderId(type: ProviderType, baseUrl: string, taken: readonly string[]): string {
  const base = type === 'openai-compatible' ? nameOfHost(baseUrl) : type === 'openai-responses' ? 'openai' : type
  if (!taken.includes(base)) return base
  for (let n = 2; ; n += 1) if (!taken.includes(`${base}-${n}`)) return `${base}-${n}`
}

function nameOfHost(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return 'provider'
  const { hostname } = new URL(baseUrl)
  if (hostname === 'localhost' || /^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return 'local'
  const parts = hostname.split('.').filter((part) => part !== 'api' && part !== 'www')
  return (parts.length > 1 ? parts.at(-2) : parts[0])?.replace(/[^\w.:@-]/g, '') || 'provider'
}

/** The validation error of a base URL for this type of provider; undefined when valid. */
export function baseUrlProblem(type: ProviderType, baseUrl: string): string | undefined {
  if (baseUrl === '')
    return PROVIDER_LABELS[type].defaultUrl === undefined
      ? 'Enter a base URL, such as http://127.0.0.1:8080/v1'
      : undefined
  if (!URL.canParse(baseUrl)) return 'Enter a URL that begins with http:// or https://'
  return ['http:', 'https:'].includes(new URL(baseUrl).protocol)
    ? undefined
    : 'The URL must begin with http:// or https://'
}
