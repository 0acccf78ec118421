import { randomBytes } from 'node:crypto'
import { startAuthorization, type OAuthTokens, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client'
import { CodedError } from '../../../../shared/errors'
import type { RoutedFetch } from '../../network/network'
import { checkEndpoint } from './oauth-fetch'
import { serverHost } from './server-host'
import { type Challenge, challengeOf } from './bearer-fetch'
import { discover, type Discovered } from './discovery'
import type { FetchLike, OAuthServer } from './mcp-auth'
import { oauthClient, oauthFailure, plain, requestTokens, authenticated } from './oauth-client'
import { listenForRedirect, type Redirected, type RedirectListener } from './redirect-listener'
import type { SignIn } from './sign-in-store'

export interface SignInRequest {
  server: OAuthServer
  /** What was stored from an earlier sign-in. */
  kept?: SignIn
  /** The scopes that the server asked for. */
  challenge?: Challenge
  open(url: string): void
  signal: AbortSignal
  fetchFn: FetchLike
  now(): number
}

/** Signs in with the browser, using an authorization code with PKCE. Throws `mcp.sign_in_failed`. */
export async function signInFlow(request: SignInRequest): Promise<SignIn> {
  const { server, kept, challenge, signal, fetchFn } = request
  const found = await discover(server.url, challenge, fetchFn)
  const before = kept?.issuer === found.issuer ? kept : undefined
  // The secret belongs to the authorization server where the user registered the client. A server could name its own
  // instead.
  if (kept && !before && server.oauth?.clientSecret !== undefined)
    throw new CodedError(
      'mcp.sign_in_failed',
      `The server now signs in at ${found.issuer}, before at ${kept.issuer}: your client secret is not sent to ` +
        'another place. If the change is right, sign out of this server, then sign in again.',
    )
  const listener = await listenFor(server, before)
  try {
    const scopes = scopesFor(server, found, challenge, before)
    const scope = scopes.length > 0 ? scopes.join(' ') : undefined
    const client = await oauthClient(server, found, {
      redirectUrl: listener.url,
      // A client that was registered for another address, which is now in use, cannot be kept.
      ...(before?.redirectUrl === listener.url && { kept: before.client }),
      ...(scope !== undefined && { scope }),
      fetchFn,
    })
    const state = randomBytes(32).toString('base64url')
    const flow = await begin(found, {
      clientInformation: client,
      redirectUrl: listener.url,
      state,
      ...(scope !== undefined && { scope }),
    })
    const [{ params, show }] = await Promise.all([
      listener.wait(state, signal),
      openPage(request, flow.authorizationUrl),
    ])
    try {
      const signIn = {
        issuer: found.issuer,
        client,
        redirectUrl: listener.url,
        scopes,
        resource: found.resource,
        endpoints: endpointsOf(found),
      }
      const exchange = {
        grant_type: 'authorization_code',
        code_verifier: flow.codeVerifier,
        redirect_uri: listener.url,
      }
      const tokens = await requestTokens(signIn, { ...exchange, code: codeOf(params, found) }, fetchFn)
      show('You are signed in', 'Trestle continues automatically. You can close this tab.')
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
      `Another program listens at ${configured}, where the browser is to come back to. ` +
        'End it, or configure another address.',
    )
  return (await listenForRedirect())!
}

/**
 * The scopes of the configuration, or else those the server asks for, or else those it supports; plus the granted ones,
 * so that signing in for more scopes removes none.
 */
function scopesFor(
  { oauth }: OAuthServer,
  { scopesSupported, metadata }: Discovered,
  challenge: Challenge | undefined,
  before: SignIn | undefined,
): string[] {
  const asked = challenge?.scopes ?? []
  if (oauth?.scopes) return [...new Set([...oauth.scopes, ...(challenge?.error === 'insufficient_scope' ? asked : [])])]
  const scopes =
    asked.length > 0
      ? [...(before?.tokens ? before.scopes : []), ...asked]
      : before?.tokens
        ? before.scopes
        : (scopesSupported ?? [])
  // Without this scope, such servers issue no refresh token.
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
    throw oauthFailure('The sign-in cannot start', error)
  }
}

/** The code, if it is from the expected authorization server (RFC 9207). */
function codeOf(params: Redirected['params'], { issuer, metadata }: Discovered): string {
  const from = params.get('iss')
  const expected =
    metadata?.['authorization_response_iss_parameter_supported'] === true ? metadata.issuer : (from ?? undefined)
  if (expected !== undefined && metadata && from !== metadata.issuer)
    throw new CodedError('mcp.sign_in_failed', `The answer came from another place than ${issuer}, so it was not used.`)
  const error = params.get('error')
  if (error !== null) {
    const words = plain(params.get('error_description') ?? '')
    throw new CodedError(
      'mcp.sign_in_failed',
      error === 'access_denied'
        ? `It was declined in the browser.${words === '' ? '' : ` (${words})`}`
        : plain(`${error}: ${words}`),
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

/** Ten years: what a longer time would be used for does not fit into a date, or even into JSON. */
const MAX_LIFETIME_S = 10 * 365 * 86_400

/** The tokens in stored form. */
export function tokensOf(
  { access_token, refresh_token, expires_in, scope }: OAuthTokens,
  now: number,
): NonNullable<SignIn['tokens']> {
  return {
    access: access_token,
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(expires_in !== undefined && { expiresAt: now + Math.min(Math.max(0, expires_in), MAX_LIFETIME_S) * 1000 }),
    ...(scope !== undefined && { scope }),
  }
}

/**
 * Exchanges old tokens for new ones; undefined when the authorization server rejects the old ones, so that the user has
 * to sign in. Throws `mcp.sign_in_failed` on any other failure.
 */
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

const PASSING: readonly string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]

function isPassing(error: OAuthError): boolean {
  return PASSING.includes(error.code)
}

/** Revokes these tokens at the authorization server (RFC 7009), the refresh token first. Rejects on failure. */
export async function revoke(
  { client, tokens, endpoints: { revocation, revocationAuth } }: SignIn,
  fetchFn: FetchLike,
): Promise<void> {
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

const PROBE_TIMEOUT_MS = 20_000

/** Sends a server a first request to get its challenge. Undefined if it requires no sign-in or cannot be reached. */
export async function probeAuthorization(
  { url, headers }: OAuthServer,
  signal: AbortSignal,
  fetch: RoutedFetch,
): Promise<Challenge | undefined> {
  try {
    const route = serverHost(url).route(new URL(url))
    const answer = await fetch(url, {
      method: 'POST',
      ...(route && { route }),
      redirect: 'manual',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      // A ping starts no session.
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]),
    })
    await answer.body?.cancel()
    return answer.status === 401 ? challengeOf(answer) : undefined
  } catch {
    // Discovery reports this failure better.
    signal.throwIfAborted()
    return undefined
  }
}
