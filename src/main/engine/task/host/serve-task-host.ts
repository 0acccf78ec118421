import { existsSync, linkSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { identityOf } from '../../session/sqlite/process-identity'
import { beaconOf } from '../task-record'
import { hostPlace, type HostPlace } from './host-place'
import { serveConnection } from './serve-connection'
import { TaskHost } from './task-host'
import { UsageBroadcast } from './usage-broadcast'

const BEACON_MS = 15_000
const IDLE_CHECK_MS = 250

export interface TaskHostServerOptions {
  /** Real path. */
  home: string
  /** It ends by itself when for so long no client was there and nothing ran. */
  idleMs: number
  /** Where bugs are written down. */
  log: (message: string) => void
}

export interface TaskHostServer {
  /** Where the host of this home listens. */
  path: string
  /** Undefined when another process is the host already. */
  serving?: { ended: Promise<void>; close(): Promise<void> }
}

/** Becomes the task host of a home, unless there is one: however many try at once, one serves, and all learn where. */
export async function serveTaskHost(options: TaskHostServerOptions): Promise<TaskHostServer> {
  const { home, log } = options
  const place = hostPlace(home)
  const identity = identityOf(process.pid)
  const host = new TaskHost({ home, identity, log })
  const usage = new UsageBroadcast(host, log)
  const clients = new Set<object>()
  const ended = Promise.withResolvers<void>()
  let open = 0
  let quietSince = performance.now()
  const server = createServer((socket) => {
    open += 1
    serveConnection(socket, { host, usage, token: place.token, clients, log }, () => {
      open -= 1
      quietSince = performance.now()
    })
  })
  const taken = await takePlace(place, server)
  if (taken !== undefined) return { path: taken }
  const path = place.newest()?.path ?? place.pathOf(1)
  const beacon = beaconOf(home, identity)
  writeFileSync(beacon, '', { mode: 0o600 })
  const beat = setInterval(() => touch(beacon), BEACON_MS)
  const idle = setInterval(() => {
    if (open > 0 || !host.isIdle) quietSince = performance.now()
    else if (performance.now() - quietSince >= options.idleMs) void close()
  }, IDLE_CHECK_MS)
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      clearInterval(beat)
      clearInterval(idle)
      server.close()
      await host.close()
      rmSync(beacon, { force: true })
      ended.resolve()
    })()
    return closing
  }
  return { path, serving: { ended: ended.promise, close } }
}

/** Undefined when the place is ours; else the path of the living host that has it. */
async function takePlace(place: HostPlace, server: Server): Promise<string | undefined> {
  for (;;) {
    const newest = place.newest()
    if (newest && (await answers(newest.path))) return newest.path
    if (process.platform === 'win32') {
      if (await listens(server, place.pathOf(1))) return undefined
      continue
    }
    const number = (newest?.number ?? 0) + 1
    const own = `${place.pathOf(number)}.${process.pid}`
    rmSync(own, { force: true })
    if (!(await listens(server, own))) throw new Error(`The task host cannot listen at ${own}.`)
    try {
      // It is found only when it listens, and only one gets the name.
      claim(own, place.pathOf(number))
      if (newest) rmSync(newest.path, { force: true })
      return undefined
    } catch (error) {
      await new Promise((resolve) => server.close(resolve))
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/** Throws EEXIST when somebody else has the name. */
function claim(own: string, name: string): void {
  try {
    linkSync(own, name)
    rmSync(own, { force: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // A file system without links for sockets: the first of two in the very same moment would end unfound, when idle.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'].includes(String(code)) || existsSync(name)) throw error
    renameSync(own, name)
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    server.once('error', failed)
    server.listen(path, () => {
      server.off('error', failed)
      resolve(true)
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function touch(beacon: string): void {
  try {
    utimesSync(beacon, new Date(), new Date())
  } catch {
    // The home is gone, or the disk; the tasks run on.
  }
}
