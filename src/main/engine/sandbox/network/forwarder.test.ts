import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forwarderScript, PROXY_PORTS, type ForwarderOptions } from './forwarder'
import { hostAllowed } from '../../network/host-list'
import { proxyEnvironment } from '../bubblewrap/sandbox-environment'
import { createSandboxProxy, type SandboxProxy } from './sandbox-proxy'

const OVERFLOW_UID = 65534
const root = process.getuid?.() === 0
const pathOf = (program: string): string | undefined =>
  spawnSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).stdout.trim() || undefined
const [bwrap, setpriv, socat, curl] = ['bwrap', 'setpriv', 'socat', 'curl'].map(pathOf)
const works =
  bwrap !== undefined &&
  spawnSync(bwrap, ['--unshare-net', '--unshare-pid', '--ro-bind', '/', '/', 'true']).status === 0

const users = [{ user: root ? 'root' : 'this user', as: [] as string[], uid: undefined as number | undefined }]
if (root && setpriv !== undefined)
  users.push({
    user: 'an unprivileged user',
    as: [setpriv, `--reuid=${OVERFLOW_UID}`, `--regid=${OVERFLOW_UID}`, '--clear-groups'],
    uid: OVERFLOW_UID,
  })
const forwarders: { forwarder: string; programs: Pick<ForwarderOptions, 'socat' | 'node'> }[] = [
  { forwarder: 'Node', programs: { node: process.execPath } },
]
if (socat !== undefined) forwarders.push({ forwarder: 'socat', programs: { socat } })
const cases = users.flatMap((user) => forwarders.map((forwarder) => ({ ...user, ...forwarder })))

const SIZE = 50 * 1024 * 1024
const servers: Server[] = []

async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const answer: RequestListener = (request, response) => {
  if (request.url === '/large') response.end(Buffer.alloc(SIZE))
  else response.end(`reached as ${request.headers['host']}`)
}

describe.skipIf(!works || curl === undefined).each(cases)(
  'a command of $user in a network namespace, with $forwarder',
  ({ as, uid, programs }) => {
    let folder: string
    let proxy: SandboxProxy
    let port: number
    let echo: number

    beforeAll(async () => {
      port = await listening(createHttpServer(answer))
      echo = await listening(
        createServer(
          { allowHalfOpen: true },
          (socket: Socket) => void socket.on('error', () => undefined).pipe(socket),
        ),
      )
      folder = await mkdtemp(join(tmpdir(), 'forwarder-'))
      const list = [`listed.example:${port}`, `localhost:${port}`, `localhost:${echo}`]
      proxy = await createSandboxProxy({
        folder: join(folder, 'p'),
        allows: (host, to) => hostAllowed(list, host, to),
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
        env: {},
      })
      if (uid !== undefined) {
        await chmod(folder, 0o755)
        for (const path of [join(folder, 'p'), proxy.httpSocket, proxy.socksSocket]) await chown(path, uid, uid)
      }
    })

    afterAll(async () => {
      await proxy?.close()
      for (const server of servers.splice(0)) server.close()
      await rm(folder, { recursive: true, force: true })
    })

    /** Runs a shell command in the sandbox; returns its output and errors. */
    async function sandboxed(
      line: string,
      more: Partial<ForwarderOptions> = {},
    ): Promise<{ code: number | null; out: string }> {
      const script = forwarderScript({
        httpSocket: proxy.httpSocket,
        socksSocket: proxy.socksSocket,
        ...programs,
        ...more,
      })
      const argv = [
        ...as,
        bwrap!,
        '--unshare-net',
        '--unshare-pid',
        '--die-with-parent',
        '--ro-bind',
        '/',
        '/',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
      ]
      const [program, ...args] = [...argv, 'sh', '-c', script, 'sh', 'bash', '-c', line]
      const env = { PATH: process.env['PATH'], ...proxyEnvironment({ ...PROXY_PORTS }) }
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
      let out = ''
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
      child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()))
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, out: out.trim() }
    }

    test('reaches a listed host through the proxy in its environment', async () => {
      expect(await sandboxed(`curl -sS http://listed.example:${port}/`)).toEqual({
        code: 0,
        out: `reached as listed.example:${port}`,
      })
      expect((await sandboxed(`curl -sS --proxytunnel http://listed.example:${port}/`)).out).toBe(
        `reached as listed.example:${port}`,
      )
    })

    test('reaches a listed host through SOCKS', async () => {
      const ran = await sandboxed(
        `curl -sS --noproxy '' --proxy socks5h://127.0.0.1:${PROXY_PORTS.socks} http://listed.example:${port}/`,
      )
      expect(ran).toEqual({ code: 0, out: `reached as listed.example:${port}` })
    })

    test('gets 403 for an unlisted host, which is reported', async () => {
      const since = Date.now()
      expect((await sandboxed(`curl -sS http://unlisted.example:${port}/`)).out).toBe(
        `Trestle's sandbox does not allow connections to unlisted.example:${port}.`,
      )
      expect((await sandboxed('curl -sS https://unlisted.example/')).out).toMatch(/403/)
      expect(
        (await sandboxed(`curl -sS --socks5-hostname 127.0.0.1:${PROXY_PORTS.socks} http://unlisted.example/`)).code,
      ).toBe(97)
      expect(proxy.denied(since).map((denied) => denied.port)).toEqual([port, 443, 80])
    })

    test('cannot reach any address, name or local server without the proxy', async () => {
      const lines = [
        `curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${port}/`,
        `curl -sS --noproxy '*' --max-time 5 http://1.1.1.1/`,
        `curl -sS --noproxy '*' --max-time 5 http://listed.example:${port}/`,
        `exec 3<>/dev/tcp/127.0.0.1/${port}`,
        `exec 3<>/dev/udp/1.1.1.1/53; echo x >&3 || exit 1`,
        'getent hosts example.com',
      ]
      const reached: string[] = []
      for (const line of lines) if ((await sandboxed(line)).code === 0) reached.push(line)
      expect(reached).toEqual([])
    })

    test('reaches a listed port of this machine at its own localhost', async () => {
      const ran = await sandboxed(
        `exec 3<>/dev/tcp/127.0.0.1/${echo}; echo hello >&3; read -r line <&3; echo "$line"`,
        {
          localPorts: [echo],
        },
      )
      expect(ran).toEqual({ code: 0, out: 'hello' })
    })

    test('gets 50 MB, and two hundred responses at the same time', async () => {
      expect((await sandboxed(`curl -sS http://listed.example:${port}/large | wc -c`)).out).toBe(String(SIZE))
      const urls = `http://listed.example:${port}/[1-200]`
      const ran = await sandboxed(
        'curl -sS --no-progress-meter --parallel --parallel-immediate ' +
          `--parallel-max 200 -w '%{http_code}\\n' -o /dev/null '${urls}' | sort | uniq -c`,
      )
      expect(ran.out).toBe('200 200')
    })

    test('leaves no forwarder behind, keeps its exit code, and has no output of the forwarder in its own', async () => {
      const ran = await sandboxed('echo out; exit 7')
      expect(ran).toEqual({ code: 7, out: 'out' })
      // The kernel kills what is left in the namespace with a delay.
      const running = (): string =>
        spawnSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "'], { encoding: 'utf8' }).stdout
      await expect.poll(() => running().includes(proxy.httpSocket)).toBe(false)
    })

    test('does not start when the network filter does not', async () => {
      const ran = await sandboxed('echo ran', { socat: '/nonexistent/socat', httpPort: 3129 })
      expect(ran).toEqual({ code: 125, out: 'The network filter of the sandbox did not start.' })
    })
  },
)

test('quotes the paths of sockets for the shell and for socat', () => {
  const script = forwarderScript({ httpSocket: "/a b/it's,x:y", socksSocket: '/s', socat: '/usr/bin/socat' })
  expect(script).toContain(String.raw`'UNIX-CONNECT:/a b/it\'\''s\,x\:y'`)
  expect(() => forwarderScript({ httpSocket: '/h', socksSocket: '/s' })).toThrow('needs socat or Node')
})

test('the environment keeps Java’s existing options, and names no proxy that cannot be reached', () => {
  const env = proxyEnvironment({ http: 1, base: { JAVA_TOOL_OPTIONS: '-Xmx1g' }, socat: '/usr/bin/socat' })
  expect(env['JAVA_TOOL_OPTIONS']).toMatch(/^-Xmx1g -Dhttp\.proxyHost=127\.0\.0\.1 -Dhttp\.proxyPort=1 /)
  expect(env['GIT_SSH_COMMAND']).toContain('PROXY:127.0.0.1:%h:%p,proxyport=1')
  expect(proxyEnvironment({ http: 1, base: { GIT_SSH_COMMAND: 'mine' }, socat: '/x' })).not.toHaveProperty(
    'GIT_SSH_COMMAND',
  )
  expect(Object.values(env).join(' ')).not.toContain('socks')
})
