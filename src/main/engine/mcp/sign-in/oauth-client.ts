import {
  parseErrorResponse,
  registerClient,
  RegistrationRejectedError,
  selectClientAuthMethod,
  type OAuthClientMetadata,
  specTypeSchemas,
  type OAuthTokens,
  OAuthError,
} from '@modelcontextprotocol/client'
import { CodedError } from '../../../../shared/errors'
import type { Discovered } from './discovery'
import type { FetchLike, OAuthServer } from './mcp-auth'
import type { SignIn } from './sign-in-store'

type Client = SignIn['client']

/**
 * How Trestle describes itself when it registers. The client metadata documents that users publish for it (docs/mcp.md)
 * contain the same.
 */
function clientMetadata(redirectUrl: string, method: string): OAuthClientMetadata {
  const metadata = {
    client_name: 'Trestle',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // Loopback addresses are allowed only for native clients (OpenID Connect Registration).
    application_type: 'native',
  }
  return metadata
}

/**
 * The client identity at the authorization server, in the order of the specification: the configured client id, the
 * configured metadata document if supported, the earlier registration `kept`, a new registration.
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
      `${issuer} does not register programs automatically: register Trestle there, with the redirect ` +
        'address http://127.0.0.1/callback, and write the client id into the configuration of this server.',
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

/** A program on the user's machine cannot keep a secret, so a client without a secret is requested if possible. */
function methodOf(supported: readonly string[] | undefined): string {
  if (!supported || supported.includes('none')) return 'none'
  return supported.find((method) => method === 'client_secret_basic' || method === 'client_secret_post') ?? 'none'
}

/** The headers and fields that identify the client, for endpoints for which the SDK has no function. */
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

/**
 * Requests tokens from a token endpoint. The library's own function refuses every http endpoint that is not on this
 * machine, but a server in a private network may have one, which `checkEndpoint` has already checked. Rejects with an
 * `OAuthError` if the authorization server gives a reason.
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
  // Some servers report failures with status 200.
  if (typeof said === 'object' && said !== null && 'error' in said) throw await parseErrorResponse(JSON.stringify(said))
  throw new SyntaxError('no tokens')
}

const MAX_CHARS = 300

/**
 * A failure of an authorization server as a CodedError without secrets: only the code and the description that the
 * standard defines for display.
 */
export function oauthFailure(doing: string, error: unknown): CodedError {
  if (error instanceof CodedError) return error
  return new CodedError('mcp.sign_in_failed', `${doing}: ${reasonOf(error)}`)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed.'
  if (!(error instanceof OAuthError))
    return error.name === 'ZodError' || error instanceof SyntaxError
      ? 'the answer is not as OAuth has it.'
      : plain(error.message)
  // The SDK passes on the body of other responses, which can contain anything.
  const status = /^HTTP \d{3}/.exec(error.message)?.[0]
  return status === undefined
    ? plain(`${error.code}${error.message === '' ? '' : ` (${error.message})`}.`)
    : `${status}.`
}

/** Third-party text, made safe for display. */
export function plain(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_CHARS)
}
