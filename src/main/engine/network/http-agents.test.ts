import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { until } from '../../../../test/support/until'
import { httpFetch } from './http-fetch'
import { dropConnections } from './http-agents'

test('after sleep, requests use new connections, and those on an old connection fail immediately', async () => {
  let connections = 0
  const server = createServer((request, response) => {
    if (request.url === '/silent') response.writeHead(200).flushHeaders()
    else response.end('ok')
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const read = async () => (await httpFetch(`${base}/`)).text()
  try {
    await read()
    await read()
    expect(connections).toBe(1)
    dropConnections({ inUse: false })
    await read()
    expect(connections).toBe(2)
    const body = (await httpFetch(`${base}/silent`)).text()
    await until(() => connections === 2 || connections === 3, 'the request')
    dropConnections({ inUse: true })
    await expect(body).rejects.toThrow(/aborted|terminated|hang up|closed/)
    expect(await read()).toBe('ok')
  } finally {
    dropConnections({ inUse: true })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
