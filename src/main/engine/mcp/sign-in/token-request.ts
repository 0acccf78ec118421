import { parseErrorResponse, specTypeSchemas, type OAuthTokens } from '@modelcontextprotocol/client'
import type { FetchLike } from '../auth/mcp-auth'
import type { SignIn } from '../auth/sign-in-store'
import { authenticated } from './oauth-client'

/**
 * Asks a token endpoint for tokens. The library's own function refuses every endpoint of http that is not on this machine; a server in a private network may have one, and
 * `checkEndpoint` has judged it already. Rejects with an `OAuthError` where the authorization server says why.
 */
export async function requestTokens(
  { client, resource, endpoints }: Pick<SignIn, 'client' | 'resource' | 'endpoints'>,
  fields: Record<string, string>,
  fetchFn: FetchLike,
): Promise<OAuthTokens> {
  const { headers, body } = authenticated(client, endpoints.tokenAuth, { ...fields, resource })
  headers.set('content-type', 'application/x-www-form-urlencoded')
  headers.set('accept', 'application/json')
  const answer = await fetchFn(endpoints.token, { method: 'POST', headers, body })
  if (!answer.ok) throw await parseErrorResponse(answer)
  const said: unknown = await answer.json()
  const read = specTypeSchemas.OAuthTokens['~standard'].validate(said)
  if (!read.issues) return read.value
  // Some say with 200 that it failed.
  if (typeof said === 'object' && said !== null && 'error' in said) throw await parseErrorResponse(JSON.stringify(said))
  throw new SyntaxError('no tokens')
}
