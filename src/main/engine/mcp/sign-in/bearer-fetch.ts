import { CodedError } from '../../../../shared/errors'
import type { FetchLike, OAuthServer } from './mcp-auth'
import type { SignIn } from './sign-in-store'

/** Tokens are renewed this long before they expire, so that they do not expire in transit. */
const RENEW_BEFORE_MS = 30_000

/** What a server currently requires from the user. */
export interface SignInDemand {
  challenge: Challenge
  /** Why it is required, as a sentence. */
  why: string
  /** The access token that was rejected. */
  refused?: string
}

interface AuthState {
  fetch: FetchLike
  /** The current tokens, even if another process renewed them. */
  tokens(): SignIn['tokens']
  /** The scopes of the last sign-in. */
  scopes(): readonly string[]
  /** Replaces the specified access token; undefined when that requires the user. */
  renewed(stale: string): Promise<SignIn['tokens']>
  requireSignIn(wish: SignInDemand): void
  now(): number
}

/** See `McpAuth.fetchFor`. */
export function bearerFetch(server: OAuthServer, standing: AuthState): FetchLike {
  const { fetch } = standing
  if (hasConfiguredAuthorization(server)) return (url, init) => fetch(url, init)
  const { origin } = new URL(server.url)

  const current = async (): Promise<string | undefined> => {
    const tokens = standing.tokens()
    if (!tokens) return undefined
    const left = (tokens.expiresAt ?? Number.POSITIVE_INFINITY) - standing.now()
    if (left > RENEW_BEFORE_MS || tokens.refresh === undefined) return tokens.access
    try {
      return (await standing.renewed(tokens.access))?.access
    } catch (error) {
      // The token still works for a moment.
      if (left > 0) return tokens.access
      throw error
    }
  }
  const signInFor = (challenge: Challenge, why: string): CodedError => {
    const refused = standing.tokens()?.access
    standing.requireSignIn({ challenge, why, ...(refused !== undefined && { refused }) })
    return new CodedError('mcp.sign_in', why)
  }
  const checked = async (answer: Response): Promise<Response> => {
    const challenge = challengeOf(answer)
    if (answer.status !== 403 || challenge.error !== 'insufficient_scope') return answer
    await answer.body?.cancel()
    const asked = standing.scopes()
    const more = (challenge.scopes ?? []).filter((scope) => !asked.includes(scope))
    // The same sign-in again would change nothing, and asking for it would never end.
    if (more.length === 0)
      throw new CodedError(
        'mcp.scope_refused',
        'The server refuses this to the account you signed in ' +
          `with${challenge.scopes ? ` (it wants ${challenge.scopes.join(', ')})` : ''}.`,
      )
    throw signInFor(challenge, `The server requires you to sign in for more: ${more.join(', ')}.`)
  }

  return async (url, init) => {
    // Only to the server's own origin, no matter where a redirect or an endpoint event points.
    if (new URL(url).origin !== origin) return fetch(url, init)
    const token = await current()
    const answer = await fetch(url, withToken(init, token))
    if (answer.status !== 401) return checked(answer)
    await answer.body?.cancel()
    const other = token === undefined ? standing.tokens()?.access : (await standing.renewed(token))?.access
    const second = other === undefined || other === token ? answer : await fetch(url, withToken(init, other))
    if (second.status !== 401) return checked(second)
    if (second !== answer) await second.body?.cancel()
    throw signInFor(
      challengeOf(second),
      token === undefined
        ? 'The server requires you to sign in.'
        : 'The sign-in has ended: the server requires you to sign in again.',
    )
  }
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** Whether the user's configuration contains a token, which must not be replaced. */
export function hasConfiguredAuthorization({ headers }: OAuthServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** A server's `WWW-Authenticate` header that requires sign-in or more scopes (RFC 6750, RFC 9728). */
export interface Challenge {
  error?: string
  scopes?: string[]
  /** The address of its metadata; not verified. */
  resourceMetadata?: string
}

const FIELD = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** The Bearer challenge of a response; empty without one. */
export function challengeOf(answer: Pick<Response, 'headers'>): Challenge {
  const header = answer.headers.get('www-authenticate') ?? ''
  const start = /(?:^|,\s*)bearer(?=\s|$)/i.exec(header)
  if (!start) return {}
  const fields = new Map<string, string>()
  for (const [, name = '', quoted, bare] of header.slice(start.index + start[0].length).matchAll(FIELD)) {
    const key = name.toLowerCase()
    // The first value counts: later fields belong to another scheme.
    if (!fields.has(key)) fields.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '')
  }
  const scopes = fields.get('scope')?.split(/\s+/).filter(Boolean)
  const [error, resourceMetadata] = [fields.get('error'), fields.get('resource_metadata')]
  return {
    ...(error !== undefined && { error }),
    ...(scopes && scopes.length > 0 && { scopes }),
    ...(resourceMetadata !== undefined && { resourceMetadata }),
  }
}
