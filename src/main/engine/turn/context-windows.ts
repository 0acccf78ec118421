import { openCacheFile } from '../config/cache-file'
import type { ProviderSettings } from '../config/settings/settings'
import type { ModelWindow } from '../context/context-budget'
import { createTokenCalibration, type TokenCalibration } from '../context/tokens/token-count'
import { imageTokenFormula } from '../context/tokens/image-tokens'
import type { ModelInfo } from '../model/provider'

/** The assumed window as a share of the refused request, if the provider did not report its size. */
const SHARE_OF_REFUSED = 0.95
/** A learned window expires after this long, in ms: models get larger windows. */
const REMEMBERED_MS = 14 * 24 * 3_600_000

/**
 * The context windows of models, as configured or learned from a provider, and the calibration of their token counts.
 */
export interface ContextWindows {
  of(model: Pick<ModelInfo, 'id' | 'model' | 'providerId' | 'contextWindow'>): ModelWindow
}

export interface ContextWindowsDeps {
  /** File that keeps learned windows for later processes. */
  file?: string
  /** The endpoint of a provider; undefined if nothing should be remembered for it. */
  endpointOf?(providerId: string): string | undefined
  now?(): number
}

interface LearnedWindow {
  /** Absent: as configured. */
  tokens?: number
  /** Tokens of the longest successful request. */
  answered: number
  /** The output limit that the provider assumes for requests without one, as learned from a refusal, in tokens. */
  usualAnswer?: number
  /** The most characters of media in a request, as learned from a refusal by the provider or a proxy in front of it. */
  mediaChars?: number
  sizes: TokenCalibration
}

/** A learned window in the file, by endpoint and model. */
interface StoredWindow {
  tokens?: number
  usualAnswer?: number
  mediaChars?: number
  /** The window configured at that time; an entry with another value is ignored. */
  configured: number
  /** The time of the refusal. */
  at: number
}

/**
 * Keeps what refusals reveal for later processes too; token calibration is not kept, because it can be read from the
 * log.
 */
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
        const { tokens, usualAnswer, mediaChars } = (key !== undefined && keptOf(key, contextWindow)) || {}
        known = {
          answered: 0,
          sizes: createTokenCalibration(imageTokenFormula(model)),
          ...(tokens && { tokens }),
          ...(usualAnswer && { usualAnswer }),
          ...(mediaChars && { mediaChars }),
        }
        models.set(place, known)
      }
      const learned = known
      const tokens = (): number => Math.min(contextWindow, Math.max(learned.answered, learned.tokens ?? contextWindow))
      const keep = (): void => {
        if (key === undefined) return
        const { usualAnswer, mediaChars } = learned
        const isLess = tokens() < contextWindow
        cache.set(key, {
          ...(isLess && { tokens: tokens() }),
          ...(usualAnswer && { usualAnswer }),
          ...(mediaChars && { mediaChars }),
          configured: contextWindow,
          at: now(),
        })
      }
      return {
        tokens,
        sizes: learned.sizes,
        isLearned: () => tokens() < contextWindow,
        refused(used, max) {
          learned.tokens = max ?? Math.round(Math.min(tokens(), used) * SHARE_OF_REFUSED)
          // The limit that the provider reports takes precedence over a longer request that it once answered.
          if (max !== undefined) learned.answered = Math.min(learned.answered, max)
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
        mediaChars: () => learned.mediaChars,
        refusedMedia(most) {
          learned.mediaChars = most
          keep()
        },
      }
    },
  }
}

/**
 * The endpoint of a provider whose windows should be remembered; undefined for a server on this machine, which may
 * restart with another window and whose refusals cost nothing.
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
  const { tokens, usualAnswer, mediaChars, configured, at } = (value ?? {}) as Partial<StoredWindow>
  const counts = [tokens, usualAnswer, mediaChars]
  return counts.every(isTokens) && typeof configured === 'number' && typeof at === 'number'
}

function isTokens(of: unknown): boolean {
  return of === undefined || (Number.isSafeInteger(of) && (of as number) > 0)
}
