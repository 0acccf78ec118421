import { providerFacts, type ProviderType } from './provider-types'

/** A provider that can be connected with a key alone, or a server on this computer. */
export interface ProviderTile {
  /** The name it gets in config.toml. */
  id: string
  name: string
  /** One or two letters that stand for it. */
  letters: string
  /** The hue of its letters, in degrees. */
  hue: number
  type: ProviderType
  /** Absent: the provider's own address, which its type knows. */
  baseUrl?: string
  /** Where to get a key; absent: none is needed. */
  keyUrl?: string
  /** The address is different for each account: the user enters it. `baseUrl` is an example. */
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

/** The address that a tile asks. */
export function tileAddress({ type, baseUrl }: Pick<ProviderTile, 'type' | 'baseUrl'>): string {
  return baseUrl ?? providerFacts(type).defaultUrl ?? ''
}
