import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { readLimitedText } from '../../web/fetch-guards'
import type { RoutedFetch } from '../../network/network'
import type { FetchLike } from './mcp-auth'
import { isLoopbackName } from '../../../../shared/loopback'
import { serverHost, ServerHost } from './server-host'

const TIMEOUT_MS = 20_000
const MAX_BYTES = 1024 * 1024

/**
 * The `fetch` for all requests of a sign-in. The server provides the addresses, so they are checked: only https, except
 * on this machine or the server's own host; and if the server is on the open internet, no address on this machine or in
 * a private network. Responses are limited in size and time.
 */
export function oauthFetch(serverUrl: string, signal?: AbortSignal, fetch: RoutedFetch = globalThis.fetch): FetchLike {
  return async (url, init) => {
    const target = new URL(url)
    await checkEndpoint(target, serverUrl)
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    try {
      const route = serverHost(serverUrl).route(target)
      const answer = await fetch(target, {
        ...init,
        ...(route && { route }),
        redirect: init?.redirect ?? 'manual',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      const text = await readLimitedText(answer, MAX_BYTES)
      const { status, statusText, headers } = answer
      return new Response(text === '' ? null : text, { status, statusText, headers })
    } catch (error) {
      signal?.throwIfAborted()
      // Not a TypeError, which the SDK would treat as a CORS failure in a browser.
      throw new CodedError(
        'mcp.sign_in_failed',
        `${target.origin} ${limit.aborted ? 'does not answer' : `cannot be reached: ${reasonOf(error)}`}.`,
        { cause: error },
      )
    }
  }
}

/** Throws `mcp.sign_in_failed` when a server at `serverUrl` may not send the client to this address. */
export async function checkEndpoint(target: URL, serverUrl: string): Promise<void> {
  const why = await endpointProblem(target, serverUrl)
  if (why !== undefined)
    throw new CodedError(
      'mcp.sign_in_failed',
      `The server names ${target.protocol}//${target.host} for the sign-in, which is not used: ${why}.`,
    )
}

/** Why a server at `serverUrl` may not send the client to this address, as a clause; undefined when it may. */
export async function endpointProblem(
  target: URL,
  serverUrl: string,
  host = serverHost(serverUrl),
): Promise<string | undefined> {
  const server = new URL(serverUrl)
  if (target.username !== '' || target.password !== '') return 'an address with a name or password in it is not trusted'
  const isHttp = target.protocol === 'http:'
  if (isHttp && !isLoopbackName(target.hostname) && target.hostname !== server.hostname) return 'only https is safe'
  if (!isHttp && target.protocol !== 'https:') return 'only https is safe'
  if (target.hostname === server.hostname || (await host.kind()) !== undefined) return undefined
  const kind = await new ServerHost(target.hostname).kind()
  return kind === undefined ? undefined : `it leads to ${kind}, and the server itself is on the internet`
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return errorText(cause)
}
