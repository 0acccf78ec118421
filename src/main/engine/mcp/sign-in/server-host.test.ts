import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNetwork } from '../../network/network'
import { checkedRedirects } from './checked-redirects'
import { ServerHost } from './server-host'

const PUBLIC = '203.0.114.7'
const HERE = '127.0.0.1'

/** A name whose DNS answers these addresses, one list for each lookup; the last list is repeated. */
function name(...answers: readonly string[][]): ServerHost {
  const left = [...answers]
  return new ServerHost('mcp.example', async (): Promise<LookupAddress[]> => {
    const now = left.length > 1 ? left.shift()! : left[0]!
    return now.map((address) => ({ address, family: 4 }))
  })
}

/** A service on this machine that counts the requests that reach it. */
async function service(): Promise<{ port: number; reached: string[] }> {
  const reached: string[] = []
  const server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response.end('inside')
  })
  await new Promise<void>((resolve) => server.listen(0, HERE, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, reached }
}

const network = createNetwork({
  settings: () => ({ proxy: 'direct', noProxy: [] }),
  env: {},
  log: () => undefined,
})

describe('a server whose name led to the internet', () => {
  test('is not connected to after the name leads to this machine', async () => {
    const { port, reached } = await service()
    const url = `http://mcp.example:${port}/mcp`
    const host = name([PUBLIC], [HERE])
    expect(await host.kind()).toBeUndefined()
    const answer = checkedRedirects(url, network.fetch, host)(url, { method: 'POST', body: '{}' })
    await expect(answer).rejects.toMatchObject({
      cause: { message: expect.stringContaining('leads to this machine itself now') },
    })
    expect(reached).toEqual([])
  })

  test.each([
    ['changes its answer for the check of a redirect', [[PUBLIC], [HERE]]],
    ['has always led to this machine, too', [[PUBLIC, HERE]]],
  ])('does not lead to other addresses of this machine when it %s', async (_, answers) => {
    const { port, reached } = await service()
    const redirects = async (): Promise<Response> =>
      new Response(null, { status: 307, headers: { location: `http://${HERE}:${port}/admin` } })
    const host = name(...answers)
    await host.kind()
    const url = 'https://mcp.example/mcp'
    await expect(checkedRedirects(url, redirects, host)(url, { method: 'POST', body: '{}' })).rejects.toThrow(
      'the server itself is on the internet',
    )
    expect(reached).toEqual([])
  })
})

test('connects to a server in a private network by the address that was looked up', async () => {
  const { port, reached } = await service()
  const url = `http://mcp.example:${port}/mcp`
  const host = name([HERE])
  const fetch = checkedRedirects(url, network.fetch, host)
  for (const path of ['one', 'two']) expect(await (await fetch(`${url}/${path}`)).text()).toBe('inside')
  expect(await host.kind()).toBe('this machine itself')
  expect(reached).toEqual(['GET /mcp/one', 'GET /mcp/two'])
})

test('allows a name over TLS to lead to a private address in another network, because the certificate decides', async () => {
  const host = name([PUBLIC], ['10.0.0.1'])
  const { lookup } = host.route(new URL('https://mcp.example/'))!
  const found = (): Promise<unknown> =>
    new Promise((resolve) => lookup('mcp.example', { all: false }, (error, address) => resolve(error ?? address)))
  expect([await found(), await found()]).toEqual([PUBLIC, '10.0.0.1'])
})
