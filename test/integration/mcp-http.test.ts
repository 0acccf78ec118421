import { expect, it, vi } from 'vitest'
import { httpMcpServer } from '../support/mcp-http-server'
import { mcpLab } from '../support/mcp-lab'
import type { ScriptedCall } from '../support/model-script'
import { limitNow } from '../support/machine-pace'

const call = (server: string, tool: string, text = ''): ScriptedCall => ({
  name: `mcp__${server}__${tool}`,
  input: { text },
})
const MB = 1024 * 1024

it('a server over HTTP works over either transport, and over the older one when it knows no other', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({
    new: { url: server.url },
    old: { type: 'sse', url: server.sseUrl },
    // Asked as the newer generation, it answers that it is not.
    unsure: { type: 'http', url: server.sseUrl },
  }))
  const session = await lab.session()
  expect(
    await lab.calls(session, [call('new', 'echo', '1'), call('old', 'echo', '2'), call('unsure', 'echo', '3')]),
  ).toEqual(['1', '2', '3'])
  await lab.close()
  expect(server.messages.map(({ method }) => method)).toContain('notifications/initialized')
})

it('an answer that breaks off, never ends, is not valid or is too large fails immediately, with bounded memory and the connection kept', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({ a: { url: server.url } }))
  const session = await lab.session()
  expect(await lab.calls(session, [call('a', 'echo', 'fine')])).toEqual(['fine'])
  const before = process.memoryUsage().rss
  for (const [tool, expected] of [
    ['breaks-off', /went away|ended the stream/],
    ['ends', /went away|ended the stream/],
    ['ends-with-id', /went away|ended the stream/],
    ['giant', /at all|more than 16 MiB|16 MiB/],
    ['giant-event', /16 MiB/],
    ['odd', /is to another request/],
    ['odd-event', /neither a result nor an error: "odd"/],
  ] as const) {
    const beganAt = performance.now()
    const [result, fine] = await lab.calls(session, [call('a', tool), call('a', 'echo', `after ${tool}`)])
    expect([tool, result]).toEqual([tool, expect.stringMatching(expected)])
    expect(fine).toBe(`after ${tool}`)
    expect(performance.now() - beganAt).toBeLessThan(limitNow(10_000))
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MB)
  expect(server.sessions).toHaveLength(1)
})

it('a server that asks endlessly and accepts no answer affects neither memory nor parallel calls', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({ a: { url: server.url }, b: { type: 'sse', url: server.sseUrl } }))
  const session = await lab.session()
  expect(await lab.calls(session, [call('a', 'echo', '1'), call('b', 'echo', '2')])).toEqual(['1', '2'])
  const before = performance.now()
  expect(await lab.calls(session, [call('a', 'pings'), call('b', 'echo', 'beside')])).toEqual([
    'after the pings',
    'beside',
  ])
  expect(performance.now() - before).toBeLessThan(limitNow(10_000))
  expect(server.answers.length).toBeLessThanOrEqual(100)
})

it.each<[string, [number, string]]>([
  [
    '400 that names the session',
    [400, '{"jsonrpc":"2.0","id":"ID","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}'],
  ],
  ['400 without a word', [400, '']],
  [
    '404 with an error of the protocol',
    [404, '{"jsonrpc":"2.0","id":"ID","error":{"code":-32001,"message":"Session not found"}}'],
  ],
  [
    'an error of the protocol that names the session',
    [
      200,
      '{"jsonrpc":"2.0","id":"ID","error":{"code":-32000,"message":"Bad Request: ' +
        'Server not initialized: unknown session"}}',
    ],
  ],
])('a session that the server has forgotten is restarted when it answers with %s', async (_name, answer) => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({ a: { url: server.url } }))
  const session = await lab.session()
  expect(await lab.calls(session, [call('a', 'echo', '1')])).toEqual(['1'])
  server.forget(answer)
  expect(await lab.calls(session, [call('a', 'echo', '2')])).toEqual(['2'])
  expect(server.sessions).toHaveLength(2)
})

it('a request rejected for its content does not end the session', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({ a: { url: server.url } }))
  const session = await lab.session()
  expect((await lab.calls(session, [call('a', 'rejected')]))[0]).toContain('I do not like this')
  expect(await lab.calls(session, [call('a', 'echo', '2')])).toEqual(['2'])
  expect(server.sessions).toHaveLength(1)
})

it('a session that the server has forgotten is restarted and the call retried once; a restarted server is found again', async () => {
  const server = await httpMcpServer()
  const lab = await mcpLab(() => ({ a: { url: server.url } }))
  const session = await lab.session()
  expect(await lab.calls(session, [call('a', 'echo', '1')])).toEqual(['1'])
  server.forget()
  expect(await lab.calls(session, [call('a', 'echo', '2')])).toEqual(['2'])
  expect(server.sessions).toHaveLength(2)
  await server.down()
  const [lost] = await lab.calls(session, [call('a', 'echo', '3')])
  expect(lost).toMatch(/nothing listens there/)
  await server.up()
  await vi.waitFor(async () => expect(await lab.calls(session, [call('a', 'echo', '4')])).toEqual(['4']), {
    timeout: 60_000,
    interval: 200,
  })
})
