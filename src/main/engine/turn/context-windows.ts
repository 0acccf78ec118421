import { openCacheFile } from '../config/cache-file'
import type { ProviderSettings } from '../config/settings/settings'
import type { ModelWindow } from '../context/context-budget'
import { createTokenCalibration, type TokenCalibration } from '../context/tokens/token-count'
import { imageTokenFormula } from '../context/tokens/image-tokens'
import type { ModelInfo } from '../model/provider'

/** A window is taken for this share of what was refused, where the provider has not said how large it is. */
const SHARE_OF_REFUSED = 0.95
/** After so long a provider is asked again by trying: models get larger windows. */
const REMEMBERED_MS = 14 * 24 * 3_600_000

/** What is known of the windows of models: as configured or as a provider has shown, and how many tokens there are in a text. */
export interface ContextWindows {
  of(model: Pick<ModelInfo, 'id' | 'model' | 'providerId' | 'contextWindow'>): ModelWindow
}

export interface ContextWindowsDeps {
  /** Where windows that were learned are kept for later processes. */
  file?: string
  /** Where requests for a provider go; undefined where nothing is to be remembered of it. */
  endpointOf?(providerId: string): string | undefined
  now?(): number
}

interface LearnedWindow {
  /** Absent: as configured. */
  tokens?: number
  /** The longest request that was answered. */
  answered: number
  /** The longest answer of a request that names none. */
  usualAnswer?: number
  sizes: TokenCalibration
}

/** As it is kept: by endpoint and model. */
interface StoredWindow {
  tokens?: number
  usualAnswer?: number
  /** What was configured then; with another window the user knows better. */
  configured: number
  /** The time of the refusal. */
  at: number
}

/** What refusals have taught is remembered for later processes, too; the sizes those learn from the log. */
export function createContextWindows({
  file,
  endpointOf = () => undefined,
  now = Date.now,
}: ContextWindowsDeps = {}): ContextWindows {
  const models = new Map<string, LearnedWindow>()
  const cache = openCacheFile(file, isStoredWindow)

  function keptOf(key: string, configured: number): StoredWindow | undefined {
    const kept = cache.get(key)
    return kept?.configured === configured && Math.abs(now() - kept.at) < REMEMBERED_MS ? kept : undefined
  }

  return {
    of({ id, model, providerId, contextWindow }) {
      const endpoint = endpointOf(providerId)
      const key = endpoint === undefined ? undefined : `${endpoint} ${model}`
      const place = key ?? id
      let known = models.get(place)
      if (!known) {
        const { tokens, usualAnswer } = (key !== undefined && keptOf(key, contextWindow)) || {}
        known = {
          answered: 0,
          sizes: createTokenCalibration(imageTokenFormula(model)),
          ...(tokens && { tokens }),
          ...(usualAnswer && { usualAnswer }),
        }
        models.set(place, known)
      }
      const learned = known
      const tokens = (): number => Math.min(contextWindow, Math.max(learned.answered, learned.tokens ?? contextWindow))
      const keep = (): void => {
        if (key === undefined) return
        const { usualAnswer } = learned
        const isLess = tokens() < contextWindow
        cache.set(key, {
          ...(isLess && { tokens: tokens() }),
          ...(usualAnswer && { usualAnswer }),
          configured: contextWindow,
          at: now(),
        })
      }
      return {
        tokens,
        sizes: learned.sizes,
        isLearned: () => tokens() < contextWindow,
        refused(used, most) {
          learned.tokens = most ?? Math.round(Math.min(tokens(), used) * SHARE_OF_REFUSED)
          // What the provider says itself counts for more than what it has answered once.
          if (most !== undefined) learned.answered = Math.min(learned.answered, most)
          keep()
        },
        answered(answered) {
          const was = tokens()
          learned.answered = Math.max(learned.answered, answered)
          if (tokens() > was) keep()
        },
        usualAnswer: () => learned.usualAnswer,
        asksFor(asked) {
          learned.usualAnswer = asked
          keep()
        },
      }
    },
  }
}

/**
 * Where requests for a provider go, as far as its windows are to be remembered. A server on this machine may be started again with another window, and its
 * refusals cost nothing.
 */
export function endpointOf(provider: ProviderSettings | undefined): string | undefined {
  if (!provider) return undefined
  const { type, baseUrl = '' } = provider
  const isLocal =
    type === 'openai-compatible' &&
    URL.canParse(baseUrl) &&
    /^(?:localhost|\[::1\]|127\..*)$/.test(new URL(baseUrl).hostname)
  return isLocal ? undefined : `${type} ${baseUrl}`
}

function isStoredWindow(value: unknown): value is StoredWindow {
  const { tokens, usualAnswer, configured, at } = (value ?? {}) as Partial<StoredWindow>
  return isTokens(tokens) && isTokens(usualAnswer) && typeof configured === 'number' && typeof at === 'number'
}

function isTokens(of: unknown): boolean {
  return of === undefined || (Number.isSafeInteger(of) && (of as number) > 0)
}
