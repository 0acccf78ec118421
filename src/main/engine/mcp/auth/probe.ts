import { challengeOf, type Challenge } from './challenge'
import type { OAuthServer } from './mcp-auth'

const TIMEOUT_MS = 20_000

/** Asks a server for what it wants, before anything else has been asked of it. Undefined when it lets everybody in, or cannot be reached. */
export async function probe(
  { url, headers }: OAuthServer,
  signal: AbortSignal,
  fetch: typeof globalThis.fetch,
): Promise<Challenge | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      // Begins no session.
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await answer.body?.cancel()
    return answer.status === 401 ? challengeOf(answer) : undefined
  } catch {
    // Discovery says it better.
    signal.throwIfAborted()
    return undefined
  }
}
