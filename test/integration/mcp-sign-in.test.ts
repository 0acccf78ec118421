import { expect, it, onTestFinished } from 'vitest'
import { createMcpAuth } from '../../src/main/engine/mcp/sign-in/create-mcp-auth'
import { mcpLab, type McpLab } from '../support/mcp-lab'
import { startOAuthServer, type OAuthServer, type OAuthServerOptions } from '../support/oauth-server'

const call = { name: 'mcp__desk__whoami', input: {} }

async function serve(options?: OAuthServerOptions): Promise<OAuthServer> {
  const server = await startOAuthServer(options)
  onTestFinished(() => server.close())
  return server
}

const desk = async (lab: McpLab) => (await lab.engine.mcp.list()).servers[0]!

/** Signs in as a user who allows everything. */
async function signIn(lab: McpLab): Promise<void> {
  await lab.engine.mcp.signIn((await desk(lab)).serverId, (url) => void fetch(url).then((answer) => answer.text()))
}

it('a turn continues without a server that requires sign-in; after it, its tools appear, and the log contains no secret', async () => {
  const server = await serve()
  const lab = await mcpLab(() => ({ desk: { url: server.url } }))
  const session = await lab.session()
  await lab.calls(session, [])
  expect(await desk(lab)).toMatchObject({
    state: 'sign_in',
    auth: { state: 'signed_out', wants: 'The server requires you to sign in.' },
  })
  await signIn(lab)
  expect(await lab.calls(session, [call])).toEqual(['signed in for read'])
  expect(await desk(lab)).toMatchObject({ state: 'ready', auth: { state: 'signed_in', scopes: ['read'] } })
  const logs = await lab.engine.mcp.logs((await desk(lab)).serverId)
  const recorded = JSON.stringify([lab.engine.sessions.since(session, 0), lab.requests(), logs])
  for (const secret of server.secrets) expect(recorded).not.toContain(secret)
})

it('a token that expires mid-session is renewed transparently, on the open connection', async () => {
  const server = await serve()
  const lab = await mcpLab(() => ({ desk: { url: server.url } }))
  await lab.calls(await lab.session(), [])
  await signIn(lab)
  const session = await lab.session()
  await lab.calls(session, [call])
  server.expire()
  const calls = [call, { ...call, input: { again: 1 } }, { ...call, input: { again: 2 } }]
  expect(await lab.calls(session, calls)).toEqual(calls.map(() => 'signed in for read'))
  expect(server.seen.filter((at) => at === 'POST /token refresh_token')).toHaveLength(1)
  expect(server.seen.filter((at) => at === 'mcp initialize')).toHaveLength(1)
})

it('a sign-in renewed by another process is used by the open connection', async () => {
  const server = await serve()
  const lab = await mcpLab(() => ({ desk: { url: server.url } }))
  await lab.calls(await lab.session(), [])
  await signIn(lab)
  const session = await lab.session()
  await lab.calls(session, [call])
  server.expire()
  const other = createMcpAuth({ home: lab.scratch.home, changed: () => undefined })
  onTestFinished(() => other.close())
  const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }
  const answer = await other.fetchFor({ url: server.url, headers: {} })(server.url, ping)
  expect(answer.status).toBe(200)
  const used = server.used.at(-1)
  expect(await lab.calls(session, [call])).toEqual(['signed in for read'])
  expect(server.used.at(-1)).toBe(used)
  expect(server.seen.filter((at) => at === 'POST /token refresh_token')).toHaveLength(1)
})

it('a tool that needs wider access says so to the agent and the user, and works after the new sign-in', async () => {
  const server = await serve({ callScopes: ['write'] })
  const lab = await mcpLab(() => ({ desk: { url: server.url } }))
  await lab.calls(await lab.session(), [])
  await signIn(lab)
  const session = await lab.session()
  expect(await lab.calls(session, [call])).toEqual([expect.stringContaining('sign in for more: write')])
  const wants = 'The server requires you to sign in for more: write.'
  expect(await desk(lab)).toMatchObject({ state: 'ready', auth: { state: 'signed_in', wants } })
  await signIn(lab)
  expect(await lab.calls(session, [call])).toEqual(['signed in for read write'])
  expect((await desk(lab)).auth).toEqual({ state: 'signed_in', scopes: ['read', 'write'] })
})

it('signing out disconnects, and the next call says that sign-in is required', async () => {
  const server = await serve()
  const lab = await mcpLab(() => ({ desk: { url: server.url } }))
  const session = await lab.session()
  await lab.calls(session, [])
  await signIn(lab)
  await lab.calls(session, [call])
  await lab.engine.mcp.signOut((await desk(lab)).serverId)
  expect(server.revoked).toHaveLength(2)
  expect(await lab.calls(session, [call])).toEqual([expect.stringContaining('requires you to sign in')])
})

it('a server of the older transport supports sign-in', async () => {
  const server = await serve({
    resource: (resource) => ({ ...resource, resource: new URL(resource['resource'] as string).origin }),
  })
  const lab = await mcpLab(() => ({ desk: { type: 'sse', url: `${server.origin}/sse` } }))
  await lab.calls(await lab.session(), [])
  expect(await desk(lab)).toMatchObject({ state: 'sign_in' })
  await signIn(lab)
  expect(await lab.calls(await lab.session(), [call])).toEqual(['signed in for read'])
})
