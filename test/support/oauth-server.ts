import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Properties of a server of `startOAuthServer`. The defaults are typical. */
export interface OAuthServerOptions {
  /** Lifetime of an access token in seconds; default 3,600. */
  lasts?: number
  /** Whether refresh tokens are issued; default true. Each works once. */
  refresh?: boolean
  /** Scopes that tool calls require in addition to `read`. */
  callScopes?: string[]
  /** Changes its published metadata about the authorization server. */
  metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>
  /** Changes its published metadata about the resource. */
  resource?: (resource: Record<string, unknown>) => Record<string, unknown>
  /** Shows a page with a button instead of redirecting automatically. */
  consent?: boolean
  /** Changes the URL that the browser is redirected to. */
  redirect?: (url: URL) => void
  /** The first answers of the token endpoint. */
  tokenAnswers?: TokenAnswer[]
}

type TokenAnswer = [status: number, body: string]

/**
 * An MCP server (streamable HTTP at /mcp, SSE at /sse) that requires sign-ins, and its authorization server, on one
 * loopback port.
 */
export interface OAuthServer {
  url: string
  origin: string
  /** Received requests, e.g. `POST /token refresh_token`. */
  readonly seen: string[]
  /** Parameters of requests for authorization, in order. */
  readonly authorizations: URLSearchParams[]
  readonly registrations: Record<string, unknown>[]
  readonly revoked: string[]
  /** Access tokens used in calls of the MCP server, in order, each once. */
  readonly used: string[]
  /** All issued secrets. */
  readonly secrets: string[]
  /** Answers of the token endpoint, one per request, before it works again. */
  readonly tokenAnswers: TokenAnswer[]
  /** Restricts access tokens issued so far to this scope, whatever was requested. */
  narrow(scope: string): void
  /** Invalidates access tokens issued so far. */
  expire(): void
  /** Also invalidates refresh tokens. */
  forget(): void
  close(): Promise<void>
}

const TOOLS = [
  {
    name: 'whoami',
    description: 'Says who is signed in.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
]

/** Starts one on loopback. */
export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { lasts = 3600, refresh = true, callScopes = [], consent = false } = options
  const access = new Map<string, Set<string>>()
  const refreshes = new Map<string, string>()
  const codes = new Map<string, { challenge: string; scope: string; redirect: string; resource: string }>()
  const tokenAnswers = [...(options.tokenAnswers ?? [])]
  const state = {
    seen: [] as string[],
    authorizations: [] as URLSearchParams[],
    registrations: [] as Record<string, unknown>[],
    revoked: [] as string[],
    used: [] as string[],
    secrets: [] as string[],
  }
  const secret = (kind: string): string => {
    const made = `${kind}-${randomBytes(12).toString('hex')}`
    state.secrets.push(made)
    return made
  }
  let origin = ''
  let stream: ServerResponse | undefined

  const grant = (scope: string): object => {
    const token = secret('access')
    access.set(token, new Set(scope.split(' ')))
    const next = secret('refresh')
    if (refresh) refreshes.set(next, scope)
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: lasts,
      scope,
      ...(refresh && { refresh_token: next }),
    }
  }
  const token = (fields: URLSearchParams, response: ServerResponse): void => {
    const scripted = tokenAnswers.shift()
    if (scripted) return void response.writeHead(scripted[0], { 'content-type': 'application/json' }).end(scripted[1])
    if (fields.get('grant_type') === 'refresh_token') {
      const given = fields.get('refresh_token') ?? ''
      const scope = refreshes.get(given)
      if (scope === undefined)
        return json(response, 400, { error: 'invalid_grant', error_description: 'unknown or used refresh token' })
      refreshes.delete(given)
      return json(response, 200, grant(scope))
    }
    const code = codes.get(fields.get('code') ?? '')
    codes.delete(fields.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(fields.get('code_verifier') ?? '')
      .digest('base64url')
    if (
      !code ||
      code.challenge !== challenge ||
      code.redirect !== fields.get('redirect_uri') ||
      code.resource !== fields.get('resource')
    )
      return json(response, 400, {
        error: 'invalid_grant',
        error_description: 'code, verifier, redirect address or resource do not fit',
      })
    return json(response, 200, grant(code.scope))
  }
  const authorize = (params: URLSearchParams, response: ServerResponse): void => {
    const redirect = params.get('redirect_uri') ?? ''
    const code = secret('code')
    codes.set(code, {
      challenge: params.get('code_challenge') ?? '',
      scope: params.get('scope') ?? 'read',
      redirect,
      resource: params.get('resource') ?? '',
    })
    const back = new URL(redirect)
    back.searchParams.set('code', code)
    back.searchParams.set('state', params.get('state') ?? '')
    back.searchParams.set('iss', origin)
    options.redirect?.(back)
    if (!consent) return void response.writeHead(302, { location: back.href }).end()
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      '<!doctype html><title>Sign in</title><h1>Example accounts</h1><a ' +
        `id="allow" href="${back.href.replaceAll('&', '&amp;')}">Allow Trestle</a>`,
    )
  }
  const mcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    const scopes = access.get(given)
    const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
    if (!scopes) {
      response.setHeader(
        'www-authenticate',
        `Bearer ${given === '' ? '' : 'error="invalid_token", '}scope="read", ${where}`,
      )
      return json(response, 401, { error: 'invalid_token' })
    }
    if (!state.used.includes(given)) state.used.push(given)
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void stream.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await body(request)) as {
      id?: number
      method: string
      params?: { protocolVersion?: string }
    }
    state.seen.push(`mcp ${message.method}`)
    if (message.id === undefined) return void response.writeHead(202).end()
    const missing = message.method === 'tools/call' ? callScopes.filter((scope) => !scopes.has(scope)) : []
    if (missing.length > 0) {
      response.setHeader(
        'www-authenticate',
        `Bearer error="insufficient_scope", scope="${callScopes.join(' ')}", ${where}`,
      )
      return json(response, 403, { error: 'insufficient_scope' })
    }
    const result = {
      initialize: {
        protocolVersion: message.params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'whoami-server', version: '1.0.0' },
      },
      'tools/list': { tools: TOOLS },
      'tools/call': { content: [{ type: 'text', text: `signed in for ${[...scopes].join(' ')}` }] },
      ping: {},
    }[message.method]
    const reply = {
      jsonrpc: '2.0',
      id: message.id,
      ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }),
    }
    if (request.url === '/mcp') return json(response, 200, reply)
    response.writeHead(202).end()
    return void stream?.write(`event: message\ndata: ${JSON.stringify(reply)}\n\n`)
  }
  const answer = async (at: string, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await body(request)
    const fields = new URLSearchParams(text)
    state.seen.push(at === 'POST /token' ? `${at} ${fields.get('grant_type')}` : at)
    switch (at) {
      case 'GET /.well-known/oauth-protected-resource/mcp': {
        const resource = {
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['read', 'write'],
        }
        return json(response, 200, options.resource?.(resource) ?? resource)
      }
      case 'GET /.well-known/oauth-authorization-server': {
        const metadata = {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        }
        return json(response, 200, options.metadata?.(metadata) ?? metadata)
      }
      case 'POST /register': {
        const registration = JSON.parse(text) as Record<string, unknown>
        state.registrations.push(registration)
        return json(response, 201, { ...registration, client_id: `client-${state.registrations.length}` })
      }
      case 'GET /authorize':
        state.authorizations.push(url.searchParams)
        return authorize(url.searchParams, response)
      case 'POST /token':
        return token(fields, response)
      case 'POST /revoke':
        state.revoked.push(fields.get('token') ?? '')
        return void response.writeHead(200).end()
      default:
        return void response.writeHead(404).end()
    }
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin)
    if (['/mcp', '/sse', '/messages'].includes(url.pathname)) void mcp(request, response)
    else void answer(`${request.method} ${url.pathname}`, url, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/mcp`,
    origin,
    ...state,
    tokenAnswers,
    narrow: (scope) => {
      for (const given of access.keys()) access.set(given, new Set([scope]))
    },
    expire: () => access.clear(),
    forget: () => {
      access.clear()
      refreshes.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
