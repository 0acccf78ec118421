import { CodedError } from '../../../../shared/model/errors'
import type { McpServerDefinition } from '../../../../shared/model/mcp'
import { connectionProblem } from '../../model/failure/connection-problem'
import { isUnknownIssuer } from '../../network/certificates'

/** The server took too long. */
export class TimeoutError extends Error {}

/** The connection ended before the answer came. */
export class LostError extends Error {}

/**
 * The number of an error: the status of an HTTP answer, or the code of an error of the protocol, which is negative. Undefined for errors of this side and of the network.
 */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  const { status, code } = error as { status?: unknown; code?: unknown }
  if (typeof status === 'number') return status
  return typeof code === 'number' ? code : undefined
}

/** Why a server could not be connected to, in words that help. */
export function failureToConnect(error: unknown, definition: McpServerDefinition): CodedError {
  if (error instanceof CodedError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof TimeoutError) return new CodedError('mcp.timeout', message, { cause: error })
  if (isSignIn(error)) return new CodedError('mcp.sign_in', 'It wants a sign-in before it answers.', { cause: error })
  if (definition.transport === 'stdio') return new CodedError('mcp.start', message, { cause: error })
  return new CodedError('mcp.connection', `${definition.url}: ${reasonOf(error)}`, { cause: error })
}

/** Whether the server refuses because nobody has signed in, or no longer counts as signed in. */
export function isSignIn(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'UnauthorizedError' || error.constructor.name === 'UnauthorizedError' || codeOf(error) === 401
}

/** fetch says only that it failed; the cause says why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const inner = cause instanceof Error ? cause : undefined
  const code = inner && 'code' in inner ? String(inner.code) : undefined
  const known = connectionProblem(error)
  if (known && ((inner && 'proxy' in inner) || isUnknownIssuer(error))) return known.message
  if (code === 'ECONNREFUSED') return 'nothing listens there.'
  if (code === 'ENOTFOUND') return 'there is no such host.'
  return inner && error.message === 'fetch failed' ? inner.message : error.message.slice(0, 500)
}
