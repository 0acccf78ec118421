/** What speaks to a provider: the name of a protocol in `engine/model/adapter.ts`. */
export type ProtocolName = 'chat' | 'moonshot' | 'responses' | 'anthropic' | 'google'

interface ProviderFacts {
  protocol: ProtocolName
  /** How the settings call it. */
  label: string
  /** Its own address, with the version; absent: the user must enter one. */
  defaultUrl?: string
  /** The usual environment variable for its key; commands never see it. */
  keyVariable: string
  /** An example of a model id. */
  modelExample: string
  /** Providers of these names are of this type where nothing else is said: `trestle provider add claude`. */
  names: readonly string[]
  /** Other names of the type in config.toml, as Kimi CLI has them. */
  aliases?: readonly string[]
  /** Whose models it has at its own address, as the table of known models names the maker. */
  maker?: string
  /** Its protocol can carry video. */
  video?: true
}

/** Every type of provider. To add one whose protocol is known, add an entry; nothing else has to change. */
const PROVIDERS = {
  'openai-compatible': {
    protocol: 'chat',
    label: 'OpenAI-compatible (Chat Completions)',
    keyVariable: 'OPENAI_API_KEY',
    modelExample: 'anthropic/claude-sonnet-5.5',
    names: [],
    video: true,
  },
  'openai-responses': {
    protocol: 'responses',
    label: 'OpenAI (Responses)',
    defaultUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    modelExample: 'gpt-6.1-sol',
    names: ['openai'],
    aliases: ['openai_responses'],
    maker: 'openai',
  },
  anthropic: {
    protocol: 'anthropic',
    label: 'Anthropic (Messages)',
    defaultUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    modelExample: 'claude-sonnet-5-5',
    names: ['anthropic', 'claude'],
    maker: 'anthropic',
  },
  google: {
    protocol: 'google',
    label: 'Google Gemini',
    defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariable: 'GEMINI_API_KEY',
    modelExample: 'gemini-3.8-flash',
    names: ['google', 'gemini'],
    aliases: ['google_genai'],
    maker: 'google',
    video: true,
  },
  moonshot: {
    protocol: 'moonshot',
    label: 'Moonshot (Kimi)',
    defaultUrl: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    modelExample: 'kimi-k3.1-pro',
    names: ['moonshot', 'kimi'],
    aliases: ['kimi'],
    maker: 'moonshotai',
    video: true,
  },
} as const satisfies Record<string, ProviderFacts>

export type ProviderType = keyof typeof PROVIDERS

/** The types, in the order of the settings. */
export const PROVIDER_TYPES = Object.keys(PROVIDERS) as [ProviderType, ...ProviderType[]]

export function providerFacts(type: ProviderType): ProviderFacts {
  return PROVIDERS[type]
}

/** Other names of provider types. */
export const PROVIDER_TYPE_ALIASES: Readonly<Record<string, ProviderType>> = byName((facts) => facts.aliases ?? [])

/** The type of a provider that is only named. */
export const PROVIDER_TYPE_BY_NAME: Readonly<Record<string, ProviderType>> = byName((facts) => facts.names)

function byName(namesOf: (facts: ProviderFacts) => readonly string[]): Record<string, ProviderType> {
  return Object.fromEntries(PROVIDER_TYPES.flatMap((type) => namesOf(PROVIDERS[type]).map((name) => [name, type])))
}
