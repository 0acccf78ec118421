import type { Usage } from '../../../shared/model/turn/message'
import type { ModelInfo, ModelRequest, Provider } from '../model/provider'
import { receiveChunks } from './model-request'

export interface ShortQuestion {
  system: string
  prompt: string
  /** Includes room for models that think first. */
  maxOutputTokens: number
  /** After this the question fails. */
  limitMs: number
  signal?: AbortSignal | undefined
}

/** Asks a model for a short text: once, without tools or thinking. Rejects when that fails. */
export async function askOnce(
  { info, provider }: { info: ModelInfo; provider: Provider },
  { system, prompt, maxOutputTokens, limitMs, signal }: ShortQuestion,
): Promise<{ answer: string; usage: Usage | undefined }> {
  const effort = info.traits?.efforts?.[0]
  const request: ModelRequest = {
    model: info.model,
    system,
    messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    tools: [],
    maxOutputTokens,
    imagesIn: false,
    thinking: false,
    cache: 'none',
    ...(info.traits && { traits: info.traits }),
    ...(effort && { effort }),
  }
  const limit = AbortSignal.timeout(limitMs)
  const ends = signal ? AbortSignal.any([signal, limit]) : limit
  let answer = ''
  let usage: Usage | undefined
  await receiveChunks(provider, request, { idleMs: limitMs, signal: ends }, (chunk) => {
    if (chunk.type === 'text') answer += chunk.text
    else if (chunk.type === 'finish') usage = chunk.usage
  })
  return { answer, usage }
}
