import { randomBytes, createHash, timingSafeEqual } from 'node:crypto'
import { CodedError } from '../../../../shared/errors'
import { tokenProtocol } from '../../../../shared/contract/page-host'
import { createRouter } from '../../../api/server/router'
import { createRpcServer } from '../../../api/server/rpc-server'
import type { HostActions, LogBug } from '../../../api/implementer'
import type { Engine } from '../../../engine/engine-api'
import type { JoinedEngine } from '../../../role/joined-engine'
import { createUserEditor } from '../../../api/user-editor'
import type { PreviewProxies } from '../../../api/preview/preview-proxy'
import { isLoopbackHost } from './host-header'
import { createPageServer, refuse, SERVER_LIMITS } from './page-server'
import { serveSocket, SOCKET_LIMITS, type SocketLimits } from './web-socket'

export interface WebHostOptions {
  /** The engine of this process, or the engine of the home that it has joined. */
  engine: Engine | JoinedEngine
  /** The built interface (out/renderer). */
  rendererDir: string
  /** 0 or absent: any free port. */
  port?: number
  /** Loopback only; default `127.0.0.1`. Other devices are served by `device-host.ts`. */
  host?: '127.0.0.1' | 'localhost' | '::1'
  /** At least 32 characters of letters, digits, `-` and `_`; default: 256 random bits. */
  token?: string
  /** Default: stderr. */
  logBug?: LogBug
  socketLimits?: Partial<SocketLimits>
}

export interface WebHost {
  /**
   * The URL for the user, with the token after `#`, which browsers never send. Print it to the user's terminal; never
   * log it.
   */
  readonly url: string
  port: number
  /** Replaces the token; clients with another one are disconnected immediately. */
  useToken(token: string): void
  /** Disconnects every client and frees the port; the engine keeps running. */
  close(): Promise<void>
}

/** Previews of servers on this machine, each on its own port. */
const PREVIEW_FRAMES = 'http://127.0.0.1:*'

/**
 * Serves the interface and the contract on loopback. Fails with `host.port` when the port is unavailable, and with
 * `request.invalid` when the options are invalid. The rules are in ../README.md.
 */
export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const { engine, rendererDir, host = '127.0.0.1' } = options
  let token = checkedToken(options.token ?? randomBytes(32).toString('hex'))
  const logBug = options.logBug ?? logToStderr
  if (!['127.0.0.1', 'localhost', '::1'].includes(host))
    throw new CodedError('request.invalid', `host: ${host} is not loopback; use trestle serve --listen`)

  // Loaded with the first preview.
  let proxies: Promise<PreviewProxies> | undefined
  const previews = (): Promise<PreviewProxies> =>
    (proxies ??= import('../../../api/preview/preview-proxy').then(
      ({ PreviewProxies: Proxies }) =>
        new Proxies({
          ancestors: ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${pages.port()}`).join(' '),
          isOwnPort: (own) => own === pages.port(),
          log: logBug,
        }),
    ))

  // It only listens on loopback, so the user is at this machine.
  const rpc = createRpcServer(
    routerOf(
      engine,
      {
        kind: 'web',
        chooseFolder: async () => null,
        openExternal: async () => false,
        files: createUserEditor(process),
        preview: async (url) => (await previews()).open(url),
      },
      logBug,
    ),
    logBug,
  )
  const limits: SocketLimits = { ...SOCKET_LIMITS, ...options.socketLimits }
  const pages = createPageServer({
    // An import would load everything the module exports, including Node's `fetch`.
    server: process.getBuiltinModule('node:http').createServer(SERVER_LIMITS),
    scheme: 'http',
    rendererDir,
    appearance: () => engine.settings.appearance(),
    logBug,
    isOurHost: isLoopbackHost,
    refusal: 'Trestle answers only to its loopback address.',
    frames: PREVIEW_FRAMES,
    admit: (protocols) =>
      protocols.some((offered) => isSameToken(offered, tokenProtocol(token)))
        ? (socket) => serveSocket(rpc, socket, limits)
        : undefined,
  })
  await pages.listen(options.port ?? 0, host)
  const port = pages.port()
  return {
    get url() {
      return `http://${host === '::1' ? '[::1]' : host}:${port}/#token=${token}`
    },
    port,
    useToken(next) {
      if (next === token) return
      token = checkedToken(next)
      for (const socket of pages.clients) refuse(socket)
    },
    async close() {
      await Promise.all([pages.close(), (await proxies)?.close()])
    },
  }
}

/** Every method of the contract for the clients of a host. */
export function routerOf(
  engine: Engine | JoinedEngine,
  host: HostActions,
  logBug: LogBug,
): ReturnType<typeof createRouter> {
  return 'router' in engine ? engine.router(host, logBug) : createRouter({ engine, host, logBug })
}

export const logToStderr: LogBug = (message, error) =>
  void process.stderr.write(
    `trestle: ${message}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )

function checkedToken(token: string): string {
  if (!/^[\w-]{32,}$/.test(token)) throw new CodedError('request.invalid', 'token: at least 32 letters, digits, - or _')
  return token
}

/** Constant-time comparison that reveals neither the position of a difference nor the length. */
function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
