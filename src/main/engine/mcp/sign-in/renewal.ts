import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client'
import type { FetchLike } from '../auth/mcp-auth'
import { authenticated } from './oauth-client'
import { oauthFailure } from './oauth-failure'
import { tokensOf } from './sign-in-flow'
import type { SignIn } from '../auth/sign-in-store'
import { requestTokens } from './token-request'

/** New tokens for old ones; undefined when the authorization server takes none of these any more, so that somebody has to sign in. CodedError `mcp.sign_in_failed` otherwise. */
export async function renew(signIn: SignIn, fetchFn: FetchLike, now: number): Promise<SignIn['tokens']> {
  const { tokens } = signIn
  if (tokens?.refresh === undefined) return undefined
  try {
    const renewed = await requestTokens(signIn, { grant_type: 'refresh_token', refresh_token: tokens.refresh }, fetchFn)
    const next = tokensOf({ refresh_token: tokens.refresh, ...renewed }, now)
    return { ...(tokens.scope !== undefined && { scope: tokens.scope }), ...next }
  } catch (error) {
    if (error instanceof OAuthError && !isPassing(error)) return undefined
    throw oauthFailure('The sign-in could not be renewed', error)
  }
}

const PASSING: readonly string[] = [OAuthErrorCode.ServerError, OAuthErrorCode.TemporarilyUnavailable, OAuthErrorCode.TooManyRequests]

function isPassing(error: OAuthError): boolean {
  return PASSING.includes(error.code)
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
