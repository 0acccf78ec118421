import { CodedError } from '../../../shared/model/errors'

/** What a window or a box says of an error that keeps the app from starting: a title, and sentences with what to do. */
export function wordsOf(error: unknown): { title: string; text: string[] } {
  if (error instanceof CodedError) return { title: error.failure.title, text: [error.message, error.failure.advice] }
  return { title: 'Trestle cannot start', text: [error instanceof Error ? error.message : String(error)] }
}

/** A socket that broke under somebody: of no consequence for anything else. */
export function isConnectionFault(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return ['EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(code)
}

/** For the log. */
export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
