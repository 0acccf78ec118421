import { startAuthorization, type OAuthTokens } from '@modelcontextprotocol/client'
import { randomBytes } from 'node:crypto'
import { CodedError } from '../../../../shared/model/errors'
import { checkEndpoint } from '../auth/authorization-fetch'
import type { Challenge } from '../auth/challenge'
import { discover, type Discovered } from './discovery'
import type { FetchLike, OAuthServer } from '../auth/mcp-auth'
import { oauthClient } from './oauth-client'
import { oauthFailure, plain } from './oauth-failure'
import { listenForRedirect, type Redirected, type RedirectListener } from './redirect-listener'
import type { SignIn } from '../auth/sign-in-store'
import { requestTokens } from './token-request'

export interface SignInRequest {
  server: OAuthServer
  /** What was kept of an earlier sign-in. */
  kept?: SignIn
  /** What the server asked for. */
  challenge?: Challenge
  open(url: string): void
  signal: AbortSignal
  fetchFn: FetchLike
  now(): number
}

/** Signs in with the browser, by an authorization code with PKCE. CodedError `mcp.sign_in_failed`. */
export async function signInFlow(request: SignInRequest): Promise<SignIn> {
  const { server, kept, challenge, signal, fetchFn } = request
  const found = await discover(server.url, challenge, fetchFn)
  const before = kept?.issuer === found.issuer ? kept : undefined
  const listener = await listenFor(server, before)
  try {
    const scopes = scopesFor(server, found, challenge, before)
    const scope = scopes.length > 0 ? scopes.join(' ') : undefined
    const client = await oauthClient(server, found, {
      redirectUrl: listener.url,
      // Registered for another address, which is taken now.
      ...(before?.redirectUrl === listener.url && { kept: before.client }),
      ...(scope !== undefined && { scope }),
      fetchFn,
    })
    const state = randomBytes(32).toString('base64url')
    const begun = await begin(found, { clientInformation: client, redirectUrl: listener.url, state, ...(scope !== undefined && { scope }) })
    const [{ params, show }] = await Promise.all([listener.wait(state, signal), openPage(request, begun.authorizationUrl)])
    try {
      const signIn = {
        issuer: found.issuer,
        client,
        redirectUrl: listener.url,
        scopes,
        resource: found.resource,
        endpoints: endpointsOf(found),
      }
      const exchange = { grant_type: 'authorization_code', code_verifier: begun.codeVerifier, redirect_uri: listener.url }
      const tokens = await requestTokens(signIn, { ...exchange, code: codeOf(params, found) }, fetchFn)
      show('You are signed in', 'Trestle goes on by itself. You can close this tab.')
      return { ...signIn, tokens: tokensOf(tokens, request.now()) }
    } catch (error) {
      const failure = oauthFailure(`${new URL(found.issuer).host} gave no token`, error)
      show('Sign-in failed', failure.message)
      throw failure
    }
  } finally {
    listener.close()
  }
}

async function listenFor(server: OAuthServer, before: SignIn | undefined): Promise<RedirectListener> {
  const configured = server.oauth?.redirectUrl
  if (configured !== undefined && !/^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?\//.test(configured))
    throw new CodedError(
      'mcp.sign_in_failed',
      `The browser can only come back to http://127.0.0.1 or http://localhost, not to ${plain(configured)}.`,
    )
  const listener = await listenForRedirect(configured ?? before?.redirectUrl)
  if (listener) return listener
  if (configured !== undefined)
    throw new CodedError(
      'mcp.sign_in_failed',
      `Another program listens at ${configured}, where the browser is to come back to. End it, or configure another address.`,
    )
  return (await listenForRedirect())!
}

/** What the configuration says, else what the server asks for, else what it knows; with what was granted before, so that signing in for more takes nothing away. */
function scopesFor(
  { oauth }: OAuthServer,
  { scopesSupported, metadata }: Discovered,
  challenge: Challenge | undefined,
  before: SignIn | undefined,
): string[] {
  const asked = challenge?.scopes ?? []
  if (oauth?.scopes) return [...new Set([...oauth.scopes, ...(challenge?.error === 'insufficient_scope' ? asked : [])])]
  const scopes =
    asked.length > 0 ? [...(before?.tokens ? before.scopes : []), ...asked] : before?.tokens ? before.scopes : (scopesSupported ?? [])
  // Without it such servers give nothing to renew a sign-in with.
  const offline = scopes.length > 0 && metadata?.scopes_supported?.includes('offline_access') === true
  return [...new Set([...scopes, ...(offline ? ['offline_access'] : [])])]
}

async function openPage({ open, server }: SignInRequest, url: URL): Promise<void> {
  await checkEndpoint(url, server.url)
  open(url.href)
}

async function begin(
  found: Discovered,
  details: { clientInformation: SignIn['client']; redirectUrl: string; state: string; scope?: string },
) {
  try {
    return await startAuthorization(found.issuer, {
      ...details,
      ...(found.metadata && { metadata: found.metadata }),
      resource: found.resource,
    })
  } catch (error) {
    throw oauthFailure('The sign-in cannot begin', error)
  }
}

/** The code, when it is from the authorization server that was asked (RFC 9207). */
function codeOf(params: Redirected['params'], { issuer, metadata }: Discovered): string {
  const from = params.get('iss')
  const expected = metadata?.['authorization_response_iss_parameter_supported'] === true ? metadata.issuer : (from ?? undefined)
  if (expected !== undefined && metadata && from !== metadata.issuer)
    throw new CodedError('mcp.sign_in_failed', `The answer came from another place than ${issuer}, so it was not used.`)
  const error = params.get('error')
  if (error !== null) {
    const words = plain(params.get('error_description') ?? '')
    throw new CodedError(
      'mcp.sign_in_failed',
      error === 'access_denied' ? `It was declined in the browser.${words === '' ? '' : ` (${words})`}` : plain(`${error}: ${words}`),
    )
  }
  const code = params.get('code')
  if (code === null || code === '') throw new CodedError('mcp.sign_in_failed', 'The browser came back without a code.')
  return code
}

function endpointsOf({ issuer, metadata }: Discovered): SignIn['endpoints'] {
  const {
    token_endpoint_auth_methods_supported: tokenAuth,
    revocation_endpoint: revocation,
    revocation_endpoint_auth_methods_supported: revocationAuth,
  } = metadata ?? {}
  return {
    token: metadata?.token_endpoint ?? new URL('/token', issuer).href,
    ...(tokenAuth && { tokenAuth }),
    ...(revocation !== undefined && { revocation }),
    ...(revocationAuth && { revocationAuth }),
  }
}

/** As they are kept. */
export function tokensOf({ access_token, refresh_token, expires_in, scope }: OAuthTokens, now: number): NonNullable<SignIn['tokens']> {
  return {
    access: access_token,
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: now + expires_in * 1000 }),
    ...(scope !== undefined && { scope }),
  }
}
