import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { hostAllowed } from '../../src/main/engine/network/host-list'
import {
  createSandboxProxy,
  type SandboxProxy,
  type SandboxProxyOptions,
} from '../../src/main/engine/sandbox/network/sandbox-proxy'

let folder: string
const closing: (() => unknown)[] = []

/** The folder of the running test. */
export const testFolder = (): string => folder

/** Registers cleanup after the running test. */
export const afterwards = (close: () => unknown): void => void closing.push(close)

/** Gives each test of a file a folder, and closes what it started. */
export function useSandboxProxies(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-proxy-'))
  })
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()))
    await rm(folder, { recursive: true, force: true })
  })
}

/** The port of a server on 127.0.0.1 that ends with the test. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

export const web = (answer: RequestListener): Promise<number> => listening(createHttpServer(answer))

/** A proxy with this list and these names; every name not in `names` is unknown. */
export async function proxyFor(
  list: string[],
  names: Record<string, string> = {},
  more: Partial<SandboxProxyOptions> = {},
): Promise<SandboxProxy> {
  const proxy = await createSandboxProxy({
    folder: join(folder, 'p'),
    allows: (host, port) => hostAllowed(list, host, port),
    resolve: async (name) => {
      const address = names[name]
      if (address === undefined) throw Object.assign(new Error(`${name} is unknown`), { code: 'ENOTFOUND' })
      return [{ address, family: address.includes(':') ? 6 : 4 }]
    },
    env: {},
    ports: true,
    ...more,
  })
  closing.push(() => proxy.close())
  return proxy
}

/** Sends bytes to a socket and returns the response until the other side ends or it contains `until`. */
export async function talk(path: string, bytes: string | Buffer, until?: string): Promise<string> {
  const socket = connect(path)
  socket.on('error', () => undefined)
  socket.write(bytes)
  let got = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    got += chunk.toString('latin1')
    if (until !== undefined && got.includes(until)) break
  }
  socket.destroy()
  return got
}

interface Ran {
  code: number | null
  out: string
}

/** Runs curl; returns its output on stdout and stderr. */
export async function curl(...args: string[]): Promise<Ran> {
  const child = spawn('curl', ['--silent', '--show-error', '--max-time', '20', ...args], {
    env: { PATH: process.env['PATH'] },
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out }
}

export const httpProxyOf = (proxy: SandboxProxy): string => `http://127.0.0.1:${proxy.ports!.http}`
export const socksProxyOf = (proxy: SandboxProxy): string => `127.0.0.1:${proxy.ports!.socks}`
