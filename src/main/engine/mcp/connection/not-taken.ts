import type { Connection } from './connection'

/** A server that answers this is alive and knows us. */
const PING_MS = 5_000
/** HTTP statuses with which servers say that they do not know a session; the protocol wants 404. */
const MAY_MEAN_SESSION = new Set([400, 404, 410])
/** Codes of JSON-RPC for a request that was not understood, or not taken. */
const REJECTED = new Set([-32_600, -32_000, -32_001, -32_002])
const NAMES_SESSION =
  /\b(?:no|not|invalid|unknown|missing|expired|stale|bad|terminated|closed|uninitialized)\b.*\bsession\b|\bsession\b.*\b(?:not|no|invalid|unknown|missing|expired|stale|terminated|closed|required|gone|uninitialized)\b/is

/**
 * Whether a request was rejected because of its connection, and not for what it asks: nobody listens there any more, or the server does not know its session, because it was
 * started again. With a new connection it can be made once more: nothing was done.
 */
export async function isNotTaken(connection: Pick<Connection, 'hasSession' | 'ping'>, error: unknown): Promise<boolean> {
  if (!(error instanceof Error)) return false
  const { cause } = error
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED') return true
  const code: unknown = 'code' in error ? error.code : undefined
  if (code === 404) return true
  if (!connection.hasSession || typeof code !== 'number') return false
  if ((MAY_MEAN_SESSION.has(code) || REJECTED.has(code)) && NAMES_SESSION.test(error.message)) return true
  // Otherwise the request may be to blame. Whoever else uses the session would lose it for nothing.
  return MAY_MEAN_SESSION.has(code) && !(await connection.ping(PING_MS))
}
