import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listeningPorts } from './open-network'

async function listenAt(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test.skipIf(process.platform !== 'linux')('servers of a network are found at IPv4 and IPv6 addresses', async () => {
  const ports = [await listenAt('127.0.0.1'), await listenAt('::1')]
  expect([...listeningPorts(process.pid, 0)]).toEqual(expect.arrayContaining(ports))
})

test.skipIf(process.platform !== 'linux')('where nothing but the forwarders listens, no table of sockets is read', async () => {
  const port = await listenAt('127.0.0.1')
  const asManyAsThereAre = 1_000_000
  expect([...listeningPorts(process.pid, asManyAsThereAre)]).not.toContain(port)
})

test("to run commands does not load Node's fetch", () => {
  const hooks = new URL('../../../../../test/support/ts-hooks.ts', import.meta.url).href
  const module = new URL('../start-in-terminal.ts', import.meta.url).href
  const program = `await import(${JSON.stringify(module)}); console.log(process.moduleLoadList.filter((name) => name.includes('undici')).join())`
  const args = ['--import', hooks, '--input-type=module', '-e', program]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('')
})
