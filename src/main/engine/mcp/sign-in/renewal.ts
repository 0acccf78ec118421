import { refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import { OAuthError, ServerError, TemporarilyUnavailableError, TooManyRequestsError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { FetchLike } from '../auth/mcp-auth'
import { authenticated } from './oauth-client'
import { oauthFailure } from './oauth-failure'
import { tokensOf } from './sign-in-flow'
import type { SignIn } from '../auth/sign-in-store'

/** New tokens for old ones; undefined when the authorization server takes none of these any more, so that somebody has to sign in. CodedError `mcp.sign_in_failed` otherwise. */
export async function renew(
  { issuer, client, resource, tokens, endpoints }: SignIn,
  fetchFn: FetchLike,
  now: number,
): Promise<SignIn['tokens']> {
  if (tokens?.refresh === undefined) return undefined
  try {
    const renewed = await refreshAuthorization(issuer, {
      metadata: metadataOf(issuer, endpoints),
      clientInformation: client,
      refreshToken: tokens.refresh,
      resource,
      fetchFn,
    })
    const next = tokensOf(renewed, now)
    return { ...(tokens.scope !== undefined && { scope: tokens.scope }), ...next }
  } catch (error) {
    if (error instanceof OAuthError && !isPassing(error)) return undefined
    throw oauthFailure('The sign-in could not be renewed', error)
  }
}

function isPassing(error: OAuthError): boolean {
  return error instanceof ServerError || error instanceof TemporarilyUnavailableError || error instanceof TooManyRequestsError
}

/** What a request for tokens needs of it. */
function metadataOf(issuer: string, { token, tokenAuth }: SignIn['endpoints']): AuthorizationServerMetadata {
  return {
    issuer,
    authorization_endpoint: token,
    token_endpoint: token,
    response_types_supported: ['code'],
    ...(tokenAuth && { token_endpoint_auth_methods_supported: tokenAuth }),
  }
}

/** Tells the authorization server that these tokens are not used any more (RFC 7009): the one that renews first. Failures are told by rejecting. */
export async function revoke({ client, tokens, endpoints: { revocation, revocationAuth } }: SignIn, fetchFn: FetchLike): Promise<void> {
  if (!tokens || revocation === undefined) return
  const all: [string, string | undefined][] = [
    ['refresh_token', tokens.refresh],
    ['access_token', tokens.access],
  ]
  for (const [hint, token] of all) {
    if (token === undefined) continue
    const { headers, body } = authenticated(client, revocationAuth, { token, token_type_hint: hint })
    await fetchFn(revocation, { method: 'POST', headers, body })
  }
}
