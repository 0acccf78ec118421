import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startOAuthServer, type OAuthServer, type OAuthServerOptions } from '../../../../../test/support/oauth-server'
import { createKeyStore } from '../../config/key-store/key-store'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createMcpAuth, type McpAuthOptions } from './create-mcp-auth'
import type { McpAuth, OAuthServer as Configured } from './mcp-auth'

async function serve(options?: OAuthServerOptions): Promise<OAuthServer> {
  const server = await startOAuthServer(options)
  onTestFinished(() => server.close())
  return server
}

const configured = ({ url }: OAuthServer, oauth?: Configured['oauth']): Configured => ({
  url,
  headers: {},
  ...(oauth && { oauth }),
})

async function authIn(home: string, options: Partial<McpAuthOptions> = {}): Promise<McpAuth> {
  const auth = createMcpAuth({ home, changed: () => undefined, ...options })
  onTestFinished(() => auth.close())
  return auth
}

/** A user who allows everything: follows the page as a browser would, and returns the last page shown. */
function browser(): { open: (url: string) => void; pages: Promise<string>[] } {
  const pages: Promise<string>[] = []
  return { pages, open: (url) => void pages.push(fetch(url).then((answer) => answer.text())) }
}

const rpc = (method: string) => ({ method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) })

const codeOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => 'no failure',
    (error: { code?: unknown }) => error.code,
  )
const messageOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

describe('a sign-in', () => {
  test('is requested by the first request, done in the browser, and used by the next request', async () => {
    const server = await serve()
    const auth = await authIn(await tempFolder())
    const call = auth.fetchFor(configured(server))
    expect(auth.view(configured(server))).toBeUndefined()
    expect(await codeOf(call(server.url, rpc('tools/call')))).toBe('mcp.sign_in')
    expect(auth.view(configured(server))).toEqual({ state: 'signed_out', wants: 'The server requires you to sign in.' })
    const { open, pages } = browser()
    await auth.signIn(configured(server), open)
    expect(await pages[0]).toContain('You are signed in')
    expect((await call(server.url, rpc('tools/call'))).status).toBe(200)
    expect(auth.view(configured(server))).toEqual({ state: 'signed_in', scopes: ['read'] })
  })

  test('uses PKCE, state and resource, and redirects to this machine only', async () => {
    const server = await serve()
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    const params = Object.fromEntries(server.authorizations[0] ?? [])
    expect(params).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'read',
    })
    expect(params['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(params['state']).toMatch(/^[\w-]{43}$/)
    expect(server.registrations).toEqual([
      expect.objectContaining({
        client_name: 'Trestle',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: [params['redirect_uri']],
      }),
    ])
  })

  test('ignores callbacks without the right state', async () => {
    const server = await serve({ consent: true })
    const auth = await authIn(await tempFolder())
    let page = ''
    const signedIn = auth.signIn(configured(server), (url) => (page = url))
    await expect.poll(() => page).not.toBe('')
    const redirect = new URL(page).searchParams.get('redirect_uri')!
    const forged = await fetch(`${redirect}?code=stolen&state=guessed`)
    expect(forged.status).toBe(400)
    expect(await forged.text()).toContain('not the sign-in')
    const allow = /href="([^"]+)"/.exec(await (await fetch(page)).text())![1]!.replaceAll('&amp;', '&')
    await fetch(allow)
    await signedIn
    expect(auth.view(configured(server))?.state).toBe('signed_in')
    // The listener has been closed.
    await expect(fetch(redirect)).rejects.toThrow('fetch failed')
  })

  test('reports that it was declined, and can be started again', async () => {
    let declines = true
    const server = await serve({
      redirect: (url) => {
        if (declines)
          url.search = new URLSearchParams({ error: 'access_denied', state: url.searchParams.get('state')! }).toString()
      },
    })
    const auth = await authIn(await tempFolder())
    const { open, pages } = browser()
    expect(await messageOf(auth.signIn(configured(server), open))).toBe('It was declined in the browser.')
    expect(await pages[0]).toContain('Sign-in failed')
    declines = false
    await auth.signIn(configured(server), open)
    expect(auth.view(configured(server))?.state).toBe('signed_in')
  })

  test('can be cancelled, and is replaced by a later one', async () => {
    const server = await serve({ consent: true })
    const auth = await authIn(await tempFolder())
    const cancel = new AbortController()
    const opened: string[] = []
    const first = messageOf(auth.signIn(configured(server), (url) => opened.push(url), cancel.signal))
    await expect.poll(() => opened.length).toBe(1)
    const second = messageOf(auth.signIn(configured(server), (url) => opened.push(url), cancel.signal))
    expect(await first).toContain('Another sign-in')
    await expect.poll(() => opened.length).toBe(2)
    cancel.abort()
    expect(await second).toBe('It was cancelled.')
    expect(auth.view(configured(server))).toBeUndefined()
  })

  test('uses the configured client id, or the metadata document where supported, instead of registering', async () => {
    const server = await serve({
      metadata: (metadata) => ({ ...metadata, client_id_metadata_document_supported: true }),
    })
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server, { clientId: 'by-hand' }), browser().open)
    await auth.signIn(configured(server, { clientMetadataUrl: 'https://example.org/trestle.json' }), browser().open)
    expect(server.authorizations.map((params) => params.get('client_id'))).toEqual([
      'by-hand',
      'https://example.org/trestle.json',
    ])
    expect(server.registrations).toEqual([])
  })

  test('reports what to configure without registration and client id', async () => {
    const server = await serve({ metadata: (metadata) => ({ ...metadata, registration_endpoint: undefined }) })
    const auth = await authIn(await tempFolder())
    expect(await messageOf(auth.signIn(configured(server), browser().open))).toContain('client id')
  })
})

describe('a server that cannot be trusted', () => {
  test.each([
    [
      'of another issuer',
      { metadata: (metadata: object) => ({ ...metadata, issuer: 'https://attacker.example' }) },
      'attacker.example',
    ],
    [
      'of an issuer whose name only begins alike',
      {
        metadata: (metadata: Record<string, unknown>) => ({
          ...metadata,
          issuer: `${String(metadata['issuer'])}/tenant`,
        }),
      },
      'another authorization server',
    ],
    [
      'without PKCE',
      { metadata: (metadata: object) => ({ ...metadata, code_challenge_methods_supported: undefined }) },
      'PKCE',
    ],
    [
      'with PKCE in plain text',
      { metadata: (metadata: object) => ({ ...metadata, code_challenge_methods_supported: ['plain'] }) },
      'PKCE',
    ],
    [
      'for another resource',
      { resource: (resource: object) => ({ ...resource, resource: 'https://bank.example/mcp' }) },
      'bank.example',
    ],
    [
      'with a program as its page',
      { metadata: (metadata: object) => ({ ...metadata, authorization_endpoint: 'file:///bin/sh' }) },
      'only https',
    ],
    [
      'without encryption elsewhere',
      { metadata: (metadata: object) => ({ ...metadata, authorization_endpoint: 'http://192.0.2.7/authorize' }) },
      'only https',
    ],
    [
      'answering from elsewhere',
      { redirect: (url: URL) => url.searchParams.set('iss', 'https://evil.example') },
      'another place',
    ],
  ])('gets no code and opens no page: %s', async (_name, options: OAuthServerOptions, said) => {
    const server = await serve(options)
    const auth = await authIn(await tempFolder())
    const opened: string[] = []
    const { open } = browser()
    const message = await messageOf(auth.signIn(configured(server), (url) => (opened.push(url), open(url))))
    expect(message).toContain(said)
    expect(opened.filter((url) => !url.startsWith(server.origin))).toEqual([])
    expect(server.seen.filter((at) => at.startsWith('POST /token'))).toEqual([])
  })

  test("never gets another server's token, no matter where its requests go", async () => {
    const [server, other] = [await serve(), await serve()]
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    const answer = await auth.fetchFor(configured(server))(other.url, rpc('ping'))
    expect(answer.status).toBe(401)
    expect(other.used).toEqual([])
    expect(answer.headers.get('www-authenticate')).not.toContain('invalid_token')
  })

  test('gets the configured secret only at the authorization server where the user has signed in, until they sign out', async () => {
    const other = await serve()
    let isMoved = false
    const server = await serve({
      resource: (resource) => (isMoved ? { ...resource, authorization_servers: [other.origin] } : resource),
    })
    const auth = await authIn(await tempFolder())
    const own = configured(server, { clientId: 'registered', clientSecret: 'secret-of-the-user' })
    await auth.signIn(own, browser().open)
    isMoved = true
    const message = await messageOf(auth.signIn(own, browser().open))
    expect(message).toContain(`now signs in at ${other.origin}`)
    expect(message).toContain('sign out of this server')
    expect(other.seen.filter((at) => at.startsWith('POST'))).toEqual([])
    await auth.signOut(own)
    await auth.signIn(own, browser().open)
    expect(other.seen).toContain('POST /token authorization_code')
  })

  test('leaks no secret in any error or to the user', async () => {
    const server = await serve({ tokenAnswers: [[500, '{"access_token":"access-leaked","debug":"code-leaked"}']] })
    const auth = await authIn(await tempFolder())
    const { open, pages } = browser()
    const message = await messageOf(auth.signIn(configured(server), open))
    expect(`${message} ${await pages[0]}`).toContain('HTTP 500')
    expect(`${message} ${await pages[0]}`).not.toMatch(/leaked/)
    for (const secret of server.secrets) expect(`${message} ${await pages[0]}`).not.toContain(secret)
  })
})

describe('a renewal', () => {
  test('happens once for simultaneous requests, which all use the new token', async () => {
    const server = await serve()
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    server.expire()
    const call = auth.fetchFor(configured(server))
    const answers = await Promise.all(Array.from({ length: 8 }, () => call(server.url, rpc('tools/list'))))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(server.seen.filter((at) => at === 'POST /token refresh_token')).toHaveLength(1)
  })

  test('by one process is used by another immediately, even on an older connection', async () => {
    const server = await serve()
    const home = await tempFolder()
    const [one, two] = [await authIn(home), await authIn(home)]
    await one.signIn(configured(server), browser().open)
    const [first, second] = [one.fetchFor(configured(server)), two.fetchFor(configured(server))]
    await second(server.url, rpc('tools/list'))
    server.expire()
    const answers = await Promise.all([first, second, first, second].map((call) => call(server.url, rpc('tools/list'))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // If it had been used twice, the refresh token would have been refused.
    expect(server.seen.filter((at) => at === 'POST /token refresh_token')).toHaveLength(1)
  })

  test('happens before a token expires, not after a rejection', async () => {
    const server = await serve({ lasts: 10 })
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    server.used.length = 0
    await auth.fetchFor(configured(server))(server.url, rpc('tools/list'))
    expect(server.seen.slice(-2)).toEqual(['POST /token refresh_token', 'mcp tools/list'])
  })

  test('that is rejected asks for a new sign-in instead of retrying', async () => {
    const server = await serve()
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    server.forget()
    const call = auth.fetchFor(configured(server))
    expect(await codeOf(call(server.url, rpc('tools/list')))).toBe('mcp.sign_in')
    expect(await codeOf(call(server.url, rpc('tools/list')))).toBe('mcp.sign_in')
    expect(server.seen.filter((at) => at === 'POST /token refresh_token')).toHaveLength(1)
    expect(auth.view(configured(server))).toMatchObject({
      state: 'signed_out',
      wants: expect.stringContaining('sign in') as string,
    })
  })

  test('that fails temporarily keeps the sign-in', async () => {
    const server = await serve()
    const home = await tempFolder()
    const auth = await authIn(home)
    await auth.signIn(configured(server), browser().open)
    server.expire()
    const call = auth.fetchFor(configured(server))
    server.tokenAnswers.push([503, 'down for maintenance'])
    expect(await codeOf(call(server.url, rpc('tools/list')))).toBe('mcp.sign_in_failed')
    expect((await call(server.url, rpc('tools/list'))).status).toBe(200)
  })
})

describe('a call that needs more than was granted', () => {
  test('asks for a sign-in with more scopes, which keeps the granted ones', async () => {
    const server = await serve({ callScopes: ['write'] })
    const auth = await authIn(await tempFolder())
    await auth.signIn(configured(server), browser().open)
    const call = auth.fetchFor(configured(server))
    expect(await messageOf(call(server.url, rpc('tools/call')))).toBe(
      'The server requires you to sign in for more: write.',
    )
    expect(auth.view(configured(server))).toMatchObject({
      state: 'signed_in',
      wants: expect.stringContaining('write') as string,
    })
    await auth.signIn(configured(server), browser().open)
    expect(server.authorizations[1]?.get('scope')).toBe('read write')
    expect(await (await call(server.url, rpc('tools/call'))).text()).toContain('read write')
  })

  test('does not request the scopes of the last sign-in again', async () => {
    const server = await serve({ callScopes: ['write'], redirect: () => undefined })
    const auth = await authIn(await tempFolder())
    const narrow = configured(server, { scopes: ['read', 'write'] })
    await auth.signIn(narrow, browser().open)
    server.narrow('read')
    expect(await codeOf(auth.fetchFor(narrow)(server.url, rpc('tools/call')))).toBe('mcp.scope_refused')
  })
})

describe('a stored sign-in', () => {
  test.each([1e306, -1e306])('is kept when another server says that its token lasts %d s', async (lasts) => {
    const [server, odd] = [await serve(), await serve({ lasts })]
    const home = await tempFolder()
    const auth = await authIn(home)
    for (const each of [server, odd]) await auth.signIn(configured(each), browser().open)
    const later = await authIn(home)
    for (const each of [server, odd]) expect(later.view(configured(each))).toMatchObject({ state: 'signed_in' })
  })

  test('is in a file that only the user can read, or encrypted with the key store', async () => {
    const server = await serve()
    const [plain, sealed] = [await tempFolder(), await tempFolder()]
    const ask = async () => ({ key: Buffer.alloc(32, 7).toString('base64') })
    const keyStore = createKeyStore({ ask, platform: 'darwin', env: {} })
    const one = await authIn(plain)
    await one.signIn(configured(server), browser().open)
    expect(statSync(join(plain, 'mcp-sign-ins.json')).mode & 0o777).toBe(0o600)
    await (await authIn(sealed, { keyStore })).signIn(configured(server), browser().open)
    const kept = readFileSync(join(sealed, 'mcp-sign-ins.json'), 'utf8')
    for (const secret of server.secrets) expect(kept).not.toContain(secret)
    expect((await authIn(sealed, { keyStore })).view(configured(server))?.state).toBe('signed_in')
    // A program without the key cannot use it, but does not fail because of it.
    expect((await authIn(sealed)).view(configured(server))).toBeUndefined()
  })

  test('of several servers survives simultaneous writes by processes', async () => {
    const home = await tempFolder()
    const servers = await Promise.all(Array.from({ length: 6 }, () => serve()))
    await Promise.all(servers.map(async (server) => (await authIn(home)).signIn(configured(server), browser().open)))
    const late = await authIn(home)
    expect(servers.map((server) => late.view(configured(server))?.state)).toEqual(servers.map(() => 'signed_in'))
  })

  test('is revoked and removed after signing out', async () => {
    const server = await serve()
    const home = await tempFolder()
    const auth = await authIn(home)
    await auth.signIn(configured(server), browser().open)
    await auth.signOut(configured(server))
    expect(server.revoked.map((token) => token.split('-')[0])).toEqual(['refresh', 'access'])
    expect(auth.view(configured(server))).toBeUndefined()
    const kept = readFileSync(join(home, 'mcp-sign-ins.json'), 'utf8')
    for (const secret of server.secrets) expect(kept).not.toContain(secret)
    expect(existsSync(join(home, 'mcp-sign-ins.json.lock'))).toBe(false)
  })

  test('is not used when the configuration has its own token', async () => {
    const server = await serve()
    const auth = await authIn(await tempFolder())
    const own: Configured = { url: server.url, headers: { AUTHORIZATION: 'Bearer mine' } }
    const answer = await auth.fetchFor(own)(server.url, { ...rpc('ping'), headers: own.headers })
    expect(answer.status).toBe(401)
    expect(await messageOf(auth.signIn(own, browser().open))).toContain('Authorization header')
  })
})
