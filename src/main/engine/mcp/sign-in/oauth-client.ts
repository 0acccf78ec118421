import {
  parseErrorResponse,
  registerClient,
  RegistrationRejectedError,
  selectClientAuthMethod,
  type OAuthClientMetadata,
} from '@modelcontextprotocol/client'
import { CodedError } from '../../../../shared/model/errors'
import type { Discovered } from './discovery'
import type { FetchLike, OAuthServer } from '../auth/mcp-auth'
import { oauthFailure } from './oauth-failure'
import type { SignIn } from '../auth/sign-in-store'

type Client = SignIn['client']

/** How Trestle describes itself at registrations. The documents people publish for it (docs/mcp.md) say the same. */
function clientMetadata(redirectUrl: string, method: string): OAuthClientMetadata {
  const metadata = {
    client_name: 'Trestle',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // Loopback addresses are only allowed for such (OpenID Connect Registration).
    application_type: 'native',
  }
  return metadata
}

/**
 * Who we are at the authorization server, in the order of the specification: the client id of the configuration, the document of the configuration where such
 * are taken, the registration `kept` from before, a new one.
 */
export async function oauthClient(
  { oauth }: OAuthServer,
  { issuer, metadata }: Discovered,
  { redirectUrl, kept, scope, fetchFn }: { redirectUrl: string; kept?: Client; scope?: string; fetchFn: FetchLike },
): Promise<Client> {
  if (oauth?.clientId !== undefined)
    return { client_id: oauth.clientId, ...(oauth.clientSecret !== undefined && { client_secret: oauth.clientSecret }) }
  if (oauth?.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true)
    return { client_id: oauth.clientMetadataUrl }
  if (kept) return kept
  if (metadata && metadata.registration_endpoint === undefined)
    throw new CodedError(
      'mcp.sign_in_failed',
      `${issuer} does not register programs by itself: register Trestle there, with the redirect address http://127.0.0.1/callback, and write the client id into the configuration of this server.`,
    )
  try {
    const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(issuer, {
      ...(metadata && { metadata }),
      clientMetadata: clientMetadata(redirectUrl, methodOf(metadata?.token_endpoint_auth_methods_supported)),
      ...(scope !== undefined && { scope }),
      fetchFn,
    })
    return {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
    }
  } catch (error) {
    const { status, body } = error instanceof RegistrationRejectedError ? error : {}
    const said = status === undefined ? error : await parseErrorResponse(new Response(body, { status }))
    throw oauthFailure(`${issuer} does not register Trestle`, said)
  }
}

/** A program on somebody's machine can keep no secret of its own, so none is asked for where that is possible. */
function methodOf(supported: readonly string[] | undefined): string {
  if (!supported || supported.includes('none')) return 'none'
  return supported.find((method) => method === 'client_secret_basic' || method === 'client_secret_post') ?? 'none'
}

/** The headers and fields with which the client shows who it is, for endpoints the SDK has no function for. */
export function authenticated(
  client: Client,
  supported: readonly string[] | undefined,
  fields: Record<string, string>,
): { headers: Headers; body: URLSearchParams } {
  const [headers, body] = [new Headers(), new URLSearchParams(fields)]
  const { client_id, client_secret = '' } = client
  const method = selectClientAuthMethod(client, [...(supported ?? [])])
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`)
  } else {
    body.set('client_id', client_id)
    if (method === 'client_secret_post') body.set('client_secret', client_secret)
  }
  return { headers, body }
}
