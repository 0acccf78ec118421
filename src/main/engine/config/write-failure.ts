import { CodedError, failureOf } from '../../../shared/errors'

/**
 * Why settings, keys or decisions could not be written. A full disk has a code of its own: checking the file, as
 * `config.write_failed` advises, would not help.
 */
export function writeFailure(message: string, cause: unknown): CodedError {
  return new CodedError(isDiskFull(cause) ? 'store.full' : 'config.write_failed', message, { cause })
}

function isDiskFull(error: unknown): boolean {
  if (failureOf(error).code === 'store.full') return true
  return error instanceof Error && error.cause !== undefined && isDiskFull(error.cause)
}
