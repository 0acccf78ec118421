import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { addressOf, ListeningPorts, listeningSockets } from './listening-ports'
import { readStat } from '../../process/proc-files'

test.each([
  ['0100007F', '127.0.0.1'],
  ['00000000', '0.0.0.0'],
  ['00000000000000000000000001000000', '::1'],
  ['00000000000000000000000000000000', '::'],
  ['0000000000000000FFFF00000100007F', '127.0.0.1'],
  ['B80D0120000000000000000001000000', '2001:db8::1'],
  ['000080FE00000000FF005450B6AD1DFE', 'fe80::5054:ff:fe1d:adb6'],
])('the address %s is %s', (hex, address) => {
  expect(addressOf(hex)).toBe(address)
})

describe.runIf(process.platform === 'linux')('of this process', () => {
  const servers: ReturnType<typeof createServer>[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })
  const listen = async (host: string): Promise<number> => {
    const server = createServer().listen(0, host)
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as { port: number }).port
  }

  test('finds a port while it is open', async () => {
    const ports = new ListeningPorts()
    const self = [readStat(process.pid)!]
    const find = (): unknown => ports.of(self, listeningSockets()).get(process.pid)
    expect(find()).toBeUndefined()
    const port = await listen('127.0.0.1')
    expect(find()).toEqual([{ port, address: '127.0.0.1' }])
    expect(find()).toEqual([{ port, address: '127.0.0.1' }])
    const [server] = servers.splice(0)
    await new Promise((resolve) => server!.close(resolve))
    expect(find()).toBeUndefined()
  })

  test('ignores ports of other processes', async () => {
    const port = await listen('127.0.0.1')
    expect([...listeningSockets().values()].map((socket) => socket.port)).toContain(port)
    expect(new ListeningPorts().of([readStat(process.ppid)!], listeningSockets()).size).toBe(0)
  })
})
