import {
  buildDiscoveryUrls,
  checkResourceAllowed,
  LATEST_PROTOCOL_VERSION,
  resourceUrlFromServerUrl,
  specTypeSchemas,
  type OAuthMetadata,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client'
import { CodedError } from '../../../../shared/errors'
import type { Challenge } from './bearer-fetch'
import type { FetchLike } from './mcp-auth'

/** The authorization server for a server, and the resource to sign in for. */
export interface Discovered {
  /** The authorization server, as named by the server. */
  issuer: string
  /** Undefined for servers of revision 2025-03-26 without metadata; their endpoints have fixed paths. */
  metadata?: OAuthMetadata
  /** The resource that the tokens are for (RFC 8707). */
  resource: string
  scopesSupported?: string[]
}

/**
 * Finds the authorization server of a server: through its protected resource metadata (RFC 9728) at the address named
 * in the challenge, below its path, or at its root; if there is no metadata, at the server itself, as in revision
 * 2025-03-26. Throws `mcp.sign_in_failed` with what is missing.
 */
export async function discover(
  serverUrl: string,
  asked: Challenge | undefined,
  fetchFn: FetchLike,
): Promise<Discovered> {
  const url = resourceUrlFromServerUrl(serverUrl)
  const described = await firstDocument(
    resourceUrls(url, asked),
    specTypeSchemas.OAuthProtectedResourceMetadata,
    fetchFn,
  )
  if (!described) {
    const issuer = new URL('/', url).href
    // No resource metadata names the authorization server, so what the server publishes is unverified, and only its own
    // origin is trusted.
    const metadata = await authorizationServer(issuer, fetchFn, isSameOrigin)
    if (!metadata && !asked)
      throw new CodedError(
        'mcp.sign_in_failed',
        `${url.origin} neither asks for a sign-in nor says where to: it may need none, or a key in its headers.`,
      )
    return { issuer, ...(metadata && { metadata }), resource: url.href }
  }
  if (!checkResourceAllowed({ requestedResource: url, configuredResource: described.resource }))
    throw new CodedError(
      'mcp.sign_in_failed',
      `The server at ${url.origin} says it is ${brief(described.resource)}: ` +
        'a token for that one could be misused, so nothing was asked for.',
    )
  const issuer = described.authorization_servers?.[0] ?? new URL('/', url).href
  const metadata = await authorizationServer(issuer, fetchFn)
  if (!metadata)
    throw new CodedError(
      'mcp.sign_in_failed',
      `The authorization server ${brief(issuer)} does not publish how one signs in.`,
    )
  return {
    issuer,
    metadata,
    resource: described.resource,
    ...(described.scopes_supported && { scopesSupported: described.scopes_supported }),
  }
}

function resourceUrls(url: URL, asked: Challenge | undefined): URL[] {
  const path = url.pathname.replace(/\/$/, '')
  const below = new URL(`/.well-known/oauth-protected-resource${path}${url.search}`, url)
  const named =
    asked?.resourceMetadata !== undefined && URL.canParse(asked.resourceMetadata)
      ? [new URL(asked.resourceMetadata)]
      : []
  return [...named, below, ...(path === '' ? [] : [new URL('/.well-known/oauth-protected-resource', url)])]
}

/** Its metadata (RFC 8414, or else OpenID Connect Discovery), if signing in there is safe. */
async function authorizationServer(
  issuer: string,
  fetchFn: FetchLike,
  isIssuer: (found: string, asked: string) => boolean = isSameIssuer,
): Promise<OAuthMetadata | undefined> {
  const urls = buildDiscoveryUrls(issuer).map(({ url }) => url)
  const metadata = await firstDocument(urls, specTypeSchemas.OAuthMetadata, fetchFn)
  // RFC 8414, 3.3: a server that answers for another issuer could redirect the code to itself and intercept what is
  // meant for that issuer.
  if (metadata && !isIssuer(metadata.issuer, issuer))
    throw new CodedError(
      'mcp.sign_in_failed',
      `What ${brief(issuer)} publishes is about another authorization server, ${brief(metadata.issuer)}, ` +
        `so a sign-in there would not be safe. The server's operator has to correct "issuer".`,
    )
  // The specification requires this refusal: without PKCE, others could use an intercepted code.
  if (metadata && !metadata.code_challenge_methods_supported?.includes('S256'))
    throw new CodedError(
      'mcp.sign_in_failed',
      `The authorization server ${brief(issuer)} does not support PKCE with S256, ` +
        'so a sign-in there would not be safe.',
    )
  if (metadata && !metadata.response_types_supported.includes('code'))
    throw new CodedError(
      'mcp.sign_in_failed',
      `The authorization server ${brief(issuer)} does not offer sign-ins by authorization code.`,
    )
  return metadata
}

/** The first of these URLs with a valid document. Any other response, such as an HTML page, counts as missing. */
async function firstDocument<Document>(
  urls: URL[],
  schema: StandardSchemaV1<unknown, Document>,
  fetchFn: FetchLike,
): Promise<Document | undefined> {
  for (const url of urls) {
    const answer = await fetchFn(url, {
      headers: { accept: 'application/json', 'mcp-protocol-version': LATEST_PROTOCOL_VERSION },
    })
    if (answer.status >= 500)
      throw new CodedError(
        'mcp.sign_in_failed',
        `${url.origin} answers with HTTP ${answer.status} when asked how one signs in.`,
      )
    const read = answer.ok ? await schema['~standard'].validate(await answer.json().catch(() => undefined)) : undefined
    if (read && !read.issues) return read.value
  }
  return undefined
}

/** Exact comparison, except for a trailing slash, which many servers omit. */
function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin
}

function brief(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200)
}
