import type { Connection } from './connection'
import { codeOf } from './connection-failure'

/** A server that answers this is alive and knows us. */
const PING_MS = 5_000
/** HTTP statuses with which servers say that they do not know a session; the protocol wants 404. */
const MAY_MEAN_SESSION = new Set([400, 404, 405, 410])
/** Codes of JSON-RPC for a request that was not understood, or not taken. */
const REJECTED = new Set([-32_600, -32_000, -32_001, -32_002])
/** The server does not speak the revision that was agreed on. */
const UNSUPPORTED_VERSION = -32_022
const NAMES_SESSION =
  /\b(?:no|not|invalid|unknown|missing|expired|stale|bad|terminated|closed|uninitialized)\b.*\bsession\b|\bsession\b.*\b(?:not|no|invalid|unknown|missing|expired|stale|terminated|closed|required|gone|uninitialized)\b/is

/**
 * Whether a request was rejected because of its connection, and not for what it asks: nobody listens there any more, or the server does not know its session, because it was
 * started again, maybe in another version that speaks another revision of the protocol. With a new connection it can be made once more: nothing was done.
 */
export async function isNotTaken(
  connection: Pick<Connection, 'hasSession' | 'isStateless' | 'isStillAgreed'>,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Error)) return false
  const { cause } = error
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') return true
  const code = codeOf(error)
  if (code === undefined) return false
  if (code === 404 || code === UNSUPPORTED_VERSION) return true
  if (connection.isStateless || !connection.hasSession)
    return (MAY_MEAN_SESSION.has(code) || REJECTED.has(code)) && !(await connection.isStillAgreed(PING_MS))
  if ((MAY_MEAN_SESSION.has(code) || REJECTED.has(code)) && NAMES_SESSION.test(error.message)) return true
  // Otherwise the request may be to blame. Whoever else uses the session would lose it for nothing.
  return MAY_MEAN_SESSION.has(code) && !(await connection.isStillAgreed(PING_MS))
}
