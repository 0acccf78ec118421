import { errorText, sentence } from '../../../shared/error-text'
import { CodedError, failureText } from '../../../shared/errors'
import type { ConnectionTest } from '../../../shared/configuration/settings'
import type { ModelInfo, Provider } from './provider'

/** How long a model can take to answer the test; local models have to load first. */
const LIMIT_MS = 60_000

/** One tiny request. Never throws: what went wrong, and what to do about it, is in the result. */
export async function testConnection(
  resolve: () => Promise<{ info: ModelInfo; provider: Provider }>,
  signal?: AbortSignal,
): Promise<ConnectionTest> {
  const startedAt = performance.now()
  const took = (): number => Math.round(performance.now() - startedAt)
  const timeout = AbortSignal.timeout(LIMIT_MS)
  try {
    const { info, provider } = await resolve()
    if (info.scripted)
      return { ok: true, durationMs: took(), message: 'This is a script, not a model: nothing to connect to.' }
    const text = await firstWords(provider, info, signal ? AbortSignal.any([signal, timeout]) : timeout)
    const seconds = (took() / 1000).toFixed(1)
    return {
      ok: true,
      durationMs: took(),
      message: text ? `It answered "${text}" in ${seconds} s.` : `It answered in ${seconds} s.`,
    }
  } catch (error) {
    return { ok: false, durationMs: took(), message: reason(error, timeout.aborted) }
  }
}

async function firstWords(provider: Provider, info: ModelInfo, signal: AbortSignal): Promise<string> {
  const stream = provider.stream(
    {
      model: info.model,
      system: '',
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Reply with the single word: ok' }] }],
      tools: [],
      // Enough for a model that thinks first; some servers require at least 16.
      maxOutputTokens: 64,
      imagesIn: false,
      thinking: false,
    },
    signal,
  )
  let text = ''
  for await (const chunk of stream) if (chunk.type === 'text') text += chunk.text
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, 80)
}

function reason(error: unknown, timedOut: boolean): string {
  if (timedOut) return `It did not answer within ${LIMIT_MS / 1000} s.`
  if (!(error instanceof CodedError)) return errorText(error)
  return `${sentence(failureText(error.failure))} ${error.failure.advice}`
}
