import { ORPCError } from '@orpc/client'
import { errorText } from '../../shared/error-text'
import type { Failure } from '../../shared/errors'
import { PAGE_ERRORS } from '../../shared/error-catalog/page-errors'

/** A failure that the page itself reports, such as a lost connection. */
export class PageError extends Error {
  readonly code: keyof typeof PAGE_ERRORS
  readonly failure: Failure

  constructor(code: keyof typeof PAGE_ERRORS, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PageError'
    this.code = code
    this.failure = { code, message, ...PAGE_ERRORS[code] }
  }
}

/** Converts anything a call threw to a failure: the engine's own, one of the page, or `internal`. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof ORPCError && isFailure(error.data)) return error.data
  if (error instanceof Error && 'failure' in error && isFailure(error.failure)) return error.failure
  return new PageError('internal', errorText(error)).failure
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'code' in data && 'title' in data && 'advice' in data
}
