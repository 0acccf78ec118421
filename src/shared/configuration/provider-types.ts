/** What speaks to a provider: the name of a protocol in `engine/model/adapter/adapter.ts`. */
export type ProtocolName = 'chat' | 'moonshot' | 'responses' | 'anthropic' | 'google'

interface ProviderFacts {
  protocol: ProtocolName
  /** The name in the settings. */
  label: string
  /** Its default address, with the version; absent: the user must enter one. */
  defaultUrl?: string
  /** The usual environment variable for its key; commands never see it. */
  keyVariable: string
  /** An example of a model id. */
  modelExample: string
  /** Providers with these names have this type by default: `trestle provider add claude`. */
  names: readonly string[]
  /** Other names of the type in config.toml, as used by Kimi CLI. */
  aliases?: readonly string[]
  /** The maker of the models at its own address, as named in the table of known models. */
  maker?: string
  /** Its protocol can carry video. */
  video?: true
}

/** Every type of provider. To add one with a known protocol, add an entry; nothing else has to change. */
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

/** The type of a provider of which only the name is given. */
export const PROVIDER_TYPE_BY_NAME: Readonly<Record<string, ProviderType>> = byName((facts) => facts.names)

function byName(namesOf: (facts: ProviderFacts) => readonly string[]): Record<string, ProviderType> {
  const types = PROVIDER_TYPES.flatMap((type) => namesOf(PROVIDERS[type]).map((name) => [name, type] as const))
  // Without a prototype, so that `constructor` is not found.
  return Object.assign(Object.create(null) as Record<string, ProviderType>, Object.fromEntries(types))
}

/** A provider that needs only a key, or a server on this computer. */
export interface ProviderTile {
  /** The name it gets in config.toml. */
  id: string
  name: string
  /** One or two letters as its icon. */
  letters: string
  /** The hue of its letters, in degrees. */
  hue: number
  type: ProviderType
  /** Absent: the default address of its type. */
  baseUrl?: string
  /** Where to get a key; absent: no key is needed. */
  keyUrl?: string
  /** The address differs for each account: the user enters it. `baseUrl` is an example. */
  ownAddress?: true
  /** It runs on this computer. */
  local?: true
}

const chat = (
  id: string,
  name: string,
  letters: string,
  hue: number,
  baseUrl: string,
  more: Pick<ProviderTile, 'keyUrl' | 'ownAddress' | 'local'>,
): ProviderTile => ({ id, name, letters, hue, type: 'openai-compatible', baseUrl, ...more })

/** The providers of the catalog, in its order. */
export const PROVIDER_TILES: readonly ProviderTile[] = [
  {
    id: 'anthropic',
    name: 'Anthropic',
    letters: 'A',
    hue: 40,
    type: 'anthropic',
    keyUrl: 'https://console.anthropic.com/settings/keys',
  },
  {
    id: 'openai',
    name: 'OpenAI',
    letters: 'O',
    hue: 160,
    type: 'openai-responses',
    keyUrl: 'https://platform.openai.com/api-keys',
  },
  {
    id: 'google',
    name: 'Google Gemini',
    letters: 'G',
    hue: 250,
    type: 'google',
    keyUrl: 'https://aistudio.google.com/apikey',
  },
  {
    id: 'moonshot',
    name: 'Moonshot (Kimi)',
    letters: 'K',
    hue: 280,
    type: 'moonshot',
    keyUrl: 'https://platform.moonshot.ai/console/api-keys',
  },
  chat('openrouter', 'OpenRouter', 'OR', 300, 'https://openrouter.ai/api/v1', {
    keyUrl: 'https://openrouter.ai/settings/keys',
  }),
  chat('deepseek', 'DeepSeek', 'D', 255, 'https://api.deepseek.com/v1', {
    keyUrl: 'https://platform.deepseek.com/api_keys',
  }),
  chat('mistral', 'Mistral', 'M', 60, 'https://api.mistral.ai/v1', {
    keyUrl: 'https://console.mistral.ai/api-keys',
  }),
  chat('xai', 'xAI', 'X', 0, 'https://api.x.ai/v1', { keyUrl: 'https://console.x.ai' }),
  chat('groq', 'Groq', 'GQ', 30, 'https://api.groq.com/openai/v1', { keyUrl: 'https://console.groq.com/keys' }),
  chat('zai', 'Z.ai (GLM)', 'Z', 230, 'https://api.z.ai/api/paas/v4', {
    keyUrl: 'https://z.ai/manage-apikey/apikey-list',
  }),
  chat('minimax', 'MiniMax', 'MM', 350, 'https://api.minimax.io/v1', {
    keyUrl: 'https://platform.minimax.io/user-center/basic-information/interface-key',
  }),
  chat('qwen', 'Qwen (Alibaba Cloud)', 'Q', 290, 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', {
    keyUrl: 'https://modelstudio.console.alibabacloud.com/?tab=model#/api-key',
  }),
  chat('cerebras', 'Cerebras', 'C', 45, 'https://api.cerebras.ai/v1', { keyUrl: 'https://cloud.cerebras.ai' }),
  chat('together', 'Together AI', 'T', 210, 'https://api.together.xyz/v1', {
    keyUrl: 'https://api.together.ai/settings/api-keys',
  }),
  chat('fireworks', 'Fireworks AI', 'F', 320, 'https://api.fireworks.ai/inference/v1', {
    keyUrl: 'https://app.fireworks.ai/settings/users/api-keys',
  }),
  chat('azure', 'Azure OpenAI', 'Az', 240, 'https://YOUR-RESOURCE.openai.azure.com/openai/v1', {
    keyUrl: 'https://ai.azure.com',
    ownAddress: true,
  }),
  chat('ollama', 'Ollama', 'Ol', 100, 'http://127.0.0.1:11434/v1', { local: true }),
  chat('lm-studio', 'LM Studio', 'LM', 270, 'http://127.0.0.1:1234/v1', { local: true }),
  chat('llama-cpp', 'llama.cpp', 'll', 80, 'http://127.0.0.1:8080/v1', { local: true }),
  chat('vllm', 'vLLM', 'vL', 190, 'http://127.0.0.1:8000/v1', { local: true }),
]

/** The address of a tile's provider. */
export function tileAddress({ type, baseUrl }: Pick<ProviderTile, 'type' | 'baseUrl'>): string {
  return baseUrl ?? providerFacts(type).defaultUrl ?? ''
}
