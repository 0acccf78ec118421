import { CodedError, ERRORS } from '../../../shared/model/errors'
import type { LoopSettings } from '../config/settings'

/** Longest wait a server's Retry-After is honoured for; beyond it the failure is final and says so. */
const RETRY_AFTER_LIMIT_MS = 10 * 60_000

/** Attempts at an overloaded model when another one can take over. */
const OVERLOADED_ATTEMPTS = 3

/** Attempts at an answer that is empty: the first may be a slip, and asking more often gives the same. */
const EMPTY_ATTEMPTS = 2

/**
 * How long to wait before attempt `attempt + 1`, in ms, or undefined when trying again cannot help or was tried enough.
 * Exponential from `retryBaseMs` to `retryMaxMs` with 25 % jitter; a Retry-After is a lower bound.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  settings: Pick<LoopSettings, 'maxAttempts' | 'retryBaseMs' | 'retryMaxMs'>,
  random: () => number,
  canFallBack = false,
): number | undefined {
  if (!(error instanceof CodedError) || !ERRORS[error.code].retryable || attempt >= settings.maxAttempts) return undefined
  if (canFallBack && error.code === 'model.overloaded' && attempt >= OVERLOADED_ATTEMPTS) return undefined
  if (error.code === 'model.empty' && attempt >= EMPTY_ATTEMPTS) return undefined
  const exponential = Math.min(settings.retryMaxMs, settings.retryBaseMs * 2 ** (attempt - 1))
  const jittered = exponential * (1 + (random() - 0.5) / 2)
  const asked = error.retryAfterMs
  if (asked === undefined) return Math.round(jittered)
  if (asked > RETRY_AFTER_LIMIT_MS) return undefined
  // A little jitter on top, so that many clients told the same moment do not all come back in it.
  return Math.round(asked + (asked > 1000 ? random() * 250 : 0))
}
