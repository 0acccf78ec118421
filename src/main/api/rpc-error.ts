import { ORPCError } from '@orpc/server'
import type { Failure } from '../../shared/model/errors'
import { CodedError, failureOf } from '../../shared/model/errors'

/** Where bugs are written; a host passes its log. The error's stack belongs into it. */
export type LogBug = (message: string, error: unknown) => void

/** The wire form of a failure: the code is kept, the whole `Failure` travels in `data`. */
export function rpcErrorOf(failure: Failure, cause?: unknown): ORPCError<string, Failure> {
  return new ORPCError(failure.code, { status: failure.code === 'internal' ? 500 : 400, message: failure.message, data: failure, cause })
}

/**
 * Turns anything thrown into what the client is told: a `CodedError` keeps its code, invalid input becomes `request.invalid` naming the
 * fields, everything else is a bug: logged with its stack and told as `internal`.
 */
export function toRpcError(error: unknown, logBug: LogBug, where: string): ORPCError<string, unknown> {
  if (error instanceof CodedError) {
    if (error.code === 'internal') logBug(`internal failure in ${where}`, error)
    return rpcErrorOf(error.failure, error)
  }
  if (error instanceof ORPCError) {
    if (error.code === 'BAD_REQUEST') return rpcErrorOf(new CodedError('request.invalid', describeIssues(error)).failure, error)
    if (isFailure(error.data)) return error
  }
  logBug(`bug in ${where}`, error)
  return rpcErrorOf(failureOf(error), error)
}

/** Names each field and what is wrong with it, e.g. `parts.0.data: Invalid base64`. */
function describeIssues(error: ORPCError<string, unknown>): string {
  const data = error.data
  const issues: unknown[] = typeof data === 'object' && data !== null && 'issues' in data && Array.isArray(data.issues) ? data.issues : []
  const lines = issues.slice(0, 10).map((issue) => {
    const { path, message } = issue as { path?: readonly unknown[]; message?: unknown }
    const field = (path ?? [])
      .map((key) => (typeof key === 'object' && key !== null && 'key' in key ? String(key.key) : String(key)))
      .join('.')
    return `${field === '' ? 'input' : field}: ${String(message)}`
  })
  if (issues.length > lines.length) lines.push(`and ${issues.length - lines.length} more`)
  return lines.length === 0 ? error.message : lines.join('; ')
}

function isFailure(data: unknown): data is Failure {
  return typeof data === 'object' && data !== null && 'code' in data && 'advice' in data && 'title' in data
}
