import { appendFileSync, mkdirSync, renameSync, statSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createServer } from 'node:net'
import { setV8Flag } from '../../runtime/v8-flags'
import { identityOf } from '../../process/process-identity'
import { claimEndpoint } from '../../process/home-endpoint'
import { hostEndpoint } from '../protocol/host-endpoint'
import { serveConnection } from './serve-connection'
import { TaskHost } from './task-host'
import { UserTerminals } from './user-terminals'
import { UsageBroadcast } from './change-broadcast'
import { heartbeatFile } from '../../process/process-tag'

const IDLE_MS = 2_000
const MAX_LOG_BYTES = 1024 * 1024

/**
 * The task host as a separate process: `task-host HOME`. Prints one line of JSON that says where the host of this home
 * listens: this process, or the one already running. Bugs are logged to `logs/task-host.log` of the home and don't end
 * the process, because tasks depend on it.
 */
export async function runTaskHost([home]: readonly string[]): Promise<void> {
  if (home === undefined) {
    process.stderr.write('Trestle starts this program when it needs it.\n')
    process.exit(2)
  }
  // Keeps the young generation small: few objects of this process live long.
  setV8Flag('--semi-space-growth-factor=1')
  const log = logTo(join(home, 'logs', 'task-host.log'))
  process.on('uncaughtException', (error) => log(error.stack ?? error.message))
  process.on('unhandledRejection', (error) =>
    log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  )
  process.on('SIGHUP', () => {})
  process.on('SIGINT', () => {})
  const { path, serving } = await serveTaskHost({ home, idleMs: IDLE_MS, log })
  process.stdout.on('error', () => {})
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify({ path })}\n`, () => resolve()))
  if (serving) {
    process.once('SIGTERM', () => void serving.close())
    await serving.ended
  }
  process.exit(0)
}

function logTo(file: string): (message: string) => void {
  return (message) => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) renameSync(file, `${file}.1`)
      appendFileSync(file, `${new Date().toISOString()} ${message}\n`, { mode: 0o600 })
    } catch {
      // Logging is impossible: the tasks keep running.
    }
  }
}

const HEARTBEAT_MS = 15_000
const IDLE_CHECK_MS = 250

export interface TaskHostServerOptions {
  /** Real path. */
  home: string
  /** It exits after this long without a client or a running task. */
  idleMs: number
  /** Logs bugs. */
  log: (message: string) => void
}

export interface TaskHostServer {
  /** Where the host of this home listens. */
  path: string
  /** Undefined if another process is already the host. */
  serving?: { ended: Promise<void>; close(): Promise<void> }
}

/**
 * Becomes the task host of a home unless there is one. If several processes try at the same time, one of them serves,
 * and all get its path.
 */
async function serveTaskHost(options: TaskHostServerOptions): Promise<TaskHostServer> {
  const { home, log } = options
  const endpoint = hostEndpoint(home)
  const identity = identityOf(process.pid)
  const host = new TaskHost({ home, identity, log })
  const terminals = new UserTerminals()
  const usage = new UsageBroadcast(host, log)
  const clients = new Set<object>()
  const ended = Promise.withResolvers<void>()
  let open = 0
  let quietSince = performance.now()
  const server = createServer((socket) => {
    open += 1
    serveConnection(socket, { host, terminals, usage, token: endpoint.token, clients, log }, () => {
      open -= 1
      quietSince = performance.now()
    })
  })
  const taken = await claimEndpoint(endpoint, server)
  if (taken !== undefined) return { path: taken }
  const path = endpoint.newest()?.path ?? endpoint.pathOf(1)
  const heartbeat = heartbeatFile(home, identity)
  writeFileSync(heartbeat, '', { mode: 0o600 })
  const beat = setInterval(() => touch(heartbeat), HEARTBEAT_MS)
  const idle = setInterval(() => {
    if (open > 0 || !host.isIdle || !terminals.isIdle) quietSince = performance.now()
    else if (performance.now() - quietSince >= options.idleMs) void close()
  }, IDLE_CHECK_MS)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      clearInterval(beat)
      clearInterval(idle)
      server.close()
      await Promise.all([host.close(), terminals.closeAll()])
      rmSync(heartbeat, { force: true })
      ended.resolve()
    })()
    return closing
  }
  return { path, serving: { ended: ended.promise, close } }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // The home or the disk is gone; the tasks keep running.
  }
}
