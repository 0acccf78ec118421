import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { plainNode } from '../../runtime/plain-node'
import { ListedHosts, listeningPorts } from './listed-hosts'

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

test.skipIf(process.platform !== 'linux')('when only the forwarders listen, no table of sockets is read', async () => {
  const port = await listenAt('127.0.0.1')
  const asManyAsThereAre = 1_000_000
  expect([...listeningPorts(process.pid, asManyAsThereAre)]).not.toContain(port)
})

test('in Electron, the forwarder to the proxy runs on a plain Node', () => {
  const versions = process.versions
  Object.defineProperty(process, 'versions', { value: { ...versions, electron: '45.4.1' }, configurable: true })
  const execPath = process.execPath
  process.execPath = '/opt/Trestle/trestle'
  try {
    const listed = new ListedHosts(['example.org'], undefined)
    listed.close()
    expect(listed.script).toContain(plainNode())
    expect(listed.script).not.toContain(process.execPath)
  } finally {
    process.execPath = execPath
    Object.defineProperty(process, 'versions', { value: versions, configurable: true })
  }
})

test("running commands does not load Node's fetch", () => {
  const hooks = new URL('../../../../../test/support/ts-hooks.mjs', import.meta.url).href
  const module = new URL('../../task/pty/start-in-terminal.ts', import.meta.url).href
  const program =
    `await import(${JSON.stringify(module)}); ` +
    "console.log(process.moduleLoadList.filter((name) => name.includes('undici')).join())"
  const args = ['--import', hooks, '--input-type=module', '-e', program]
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('')
})

test('the proxy’s folder is deleted as soon as it is closed, because the process may exit then', () => {
  const listed = new ListedHosts(['example.com'], '/usr/bin/socat')
  const folder = /(\/\S+)\/http\.sock/.exec(listed.script)?.[1] ?? ''
  expect(existsSync(folder)).toBe(true)
  listed.close()
  expect(existsSync(folder)).toBe(false)
})
