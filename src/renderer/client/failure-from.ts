import { ORPCError } from '@orpc/client'
import { type Failure, failureOf } from '../../shared/errors'

/** What to show for anything a call threw: the engine's own failure with title and advice, a lost connection, or `internal`. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof ORPCError && isFailure(error.data)) return error.data
  return failureOf(error)
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'code' in data && 'title' in data && 'advice' in data
}
