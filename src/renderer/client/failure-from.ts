import { ORPCError } from '@orpc/client'
import { type Failure, failureOf } from '../../shared/errors'

/** Converts anything a call threw to a failure: the engine's own, a lost connection, or `internal`. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof ORPCError && isFailure(error.data)) return error.data
  return failureOf(error)
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'code' in data && 'title' in data && 'advice' in data
}
