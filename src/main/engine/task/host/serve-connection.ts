import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { CancellationToken } from 'vscode-jsonrpc/node'
import { ChangeFeed, type UsageBroadcast } from './change-broadcast'
import { connectionOver, toWire } from '../protocol/json-rpc'
import type { TaskHost } from './task-host'
import type { UserTerminals } from './user-terminals'
import type {
  HostNotifications,
  HostRequests,
  TerminalNotifications,
  TerminalRequests,
} from '../protocol/task-protocol'
import type { TerminalPush } from '../../../../shared/model/task/terminal'

/** A client with this many unsent bytes gets no more output until it has received them. */
const MAX_UNSENT = 1024 * 1024
/** A client that has not identified itself after this long is disconnected. */
const HELLO_MS = 5_000

type Handlers = {
  [Method in keyof HostRequests]: (params: HostRequests[Method]['params'], token: CancellationToken) => unknown
}

export interface ConnectionDeps {
  host: TaskHost
  terminals: UserTerminals
  usage: UsageBroadcast
  token: string
  /** All connected clients. */
  clients: Set<object>
  log: (message: string) => void
}

/** Serves one client until it disconnects, then stops its foreground commands. `onEnd` is called once that is done. */
export function serveConnection(socket: Socket, deps: ConnectionDeps, onEnd: () => void): void {
  const { host, terminals, usage, clients, log } = deps
  const me = {}
  const connection = connectionOver(socket)
  const cleanups: (() => void)[] = []
  const watched = new Map<number, string>()
  let isWelcome = false
  let unsent = 0

  const notify = async <Name extends keyof HostNotifications>(
    name: Name,
    params: HostNotifications[Name],
    size = 0,
  ): Promise<void> => {
    unsent += size
    try {
      await connection.sendNotification(name, params)
    } finally {
      unsent -= size
    }
  }
  /** Ignores failures: the client may be gone. */
  const push = <Name extends keyof HostNotifications>(
    name: Name,
    params: HostNotifications[Name],
    size: number,
  ): void => void notify(name, params, size).catch(() => {})
  const isReady = (): boolean => unsent < MAX_UNSENT
  const keyOf = (watchId: number): string => `${watchId} ${clientNumber(me)}`
  const unwatch = (watchId: number): void => {
    const taskId = watched.get(watchId)
    watched.delete(watchId)
    if (taskId !== undefined) host.find(taskId)?.unwatch(keyOf(watchId))
  }
  let stopMeasuring: (() => void) | undefined

  const handlers: Handlers = {
    ...terminalRequests(terminals, {
      key: String(clientNumber(me)),
      send: push,
      isReady,
      onGone: (cleanup) => cleanups.push(cleanup),
    }),
    hello({ token }) {
      if (!isSame(token, deps.token)) throw new Error('This is not the token of this task host.')
      isWelcome = true
      clients.add(me)
      return { pid: process.pid }
    },
    start: (params) => host.start(me, params),
    run: ({ outputId, ...params }, cancelled) => {
      const onOutput = (text: string): void => {
        if (outputId !== undefined && isReady()) push('printed', { outputId, text }, text.length)
      }
      return host.run(me, params, signalOf(cancelled), outputId === undefined ? undefined : onOutput)
    },
    warm({ env, sandbox }) {
      host.warm(env, sandbox)
      return null
    },
    list: () => host.list(),
    output: ({ taskId, ...page }) => host.output(taskId, page),
    wait: ({ taskId, ms }, cancelled) => host.wait(taskId, ms, signalOf(cancelled)),
    stop: ({ taskIds, reason }) => host.stop(taskIds, reason),
    input: ({ taskId, data }) => host.input(taskId, data),
    moveToBackground: ({ taskId }) => host.moveToBackground(taskId),
    follow() {
      const feed = new ChangeFeed(async (changed, removed) => {
        if (changed.length > 0) await notify('changed', { tasks: changed.map((hosted) => hosted.task()) })
        if (removed.length > 0) await notify('removed', { taskIds: removed.map(({ taskId }) => taskId) })
      })
      cleanups.push(
        host.onTouch((hosted, touch) => feed.touch(hosted, touch)),
        () => feed.close(),
      )
      return host.list()
    },
    watch({ watchId, taskId }) {
      const hosted = host.find(taskId)
      if (!hosted || hosted.run.isOver) return false
      watched.set(watchId, taskId)
      hosted.watch(
        keyOf(watchId),
        (each) => push('pushed', { watchId, push: each }, each.type === 'task' ? 0 : each.text.length),
        isReady,
      )
      return true
    },
    unwatch({ watchId }) {
      unwatch(watchId)
      return null
    },
    measure({ on }) {
      stopMeasuring?.()
      stopMeasuring = on
        ? usage.add((measured) => isReady() && push('measured', measured, measured.usage.length * 500))
        : undefined
      return null
    },
    async leave({ stop }) {
      const taskIds = host.tasksOf(me, stop === 'all' ? clients : undefined)
      // Another program that shows terminals still needs them.
      if (stop === 'all' && terminals.followers <= 1) await terminals.closeAll()
      return { stopped: (await host.stop(taskIds, 'Trestle was closed.')).length }
    },
  }
  connection.onRequest(async (method, params, token) => {
    try {
      const handler = Object.hasOwn(handlers, method) ? handlers[method as keyof HostRequests] : undefined
      if (!handler || (!isWelcome && method !== 'hello')) throw new Error(`The task host does not take "${method}".`)
      return await (handler as (given: unknown, cancelled: CancellationToken) => unknown)(params, token)
    } catch (error) {
      if (method === 'hello') setImmediate(() => socket.end())
      return toWire(error)
    }
  })
  const timer = setTimeout(() => {
    if (!isWelcome) socket.destroy()
  }, HELLO_MS)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => {
    clearTimeout(timer)
    clients.delete(me)
    stopMeasuring?.()
    for (const watchId of watched.keys()) unwatch(watchId)
    for (const cleanup of cleanups) cleanup()
    connection.dispose()
    host
      .dropCaller(me)
      .catch((error: unknown) => log(`stopping the commands of a client failed: ${String(error)}`))
      .finally(onEnd)
  })
  connection.listen()
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

/** A unique number for each client, used in keys. */
function clientNumber(client: object): number {
  const number = numbers.get(client) ?? ++lastNumber
  numbers.set(client, number)
  return number
}

function signalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController()
  if (token.isCancellationRequested) controller.abort()
  else token.onCancellationRequested(() => controller.abort())
  return controller.signal
}

function isSame(given: unknown, token: string): boolean {
  return typeof given === 'string' && timingSafeEqual(hash(given), hash(token))
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

interface TerminalClient {
  /** Identifies the client among all. */
  key: string
  send<Name extends keyof TerminalNotifications>(name: Name, params: TerminalNotifications[Name], size: number): void
  /** Whether it has received what was sent. */
  isReady(): boolean
  /** `cleanup` is called when the client disconnects. */
  onGone(cleanup: () => void): void
}

type TerminalHandlers = {
  [Method in keyof TerminalRequests]: (params: TerminalRequests[Method]['params']) => unknown
}

/** Handles a client's requests about the user's terminals. */
function terminalRequests(terminals: UserTerminals, client: TerminalClient): TerminalHandlers {
  const viewed = new Map<number, string>()
  const keyOf = (viewId: number): string => `${viewId} ${client.key}`
  const leave = (viewId: number): void => {
    const terminalId = viewed.get(viewId)
    viewed.delete(viewId)
    if (terminalId !== undefined) terminals.removeViewer(terminalId, keyOf(viewId))
  }
  client.onGone(() => {
    for (const viewId of viewed.keys()) leave(viewId)
  })
  return {
    followTerminals() {
      client.onGone(terminals.onChange(() => client.send('terminals', { terminals: terminals.list() }, 0)))
      return terminals.list()
    },
    openTerminal: (start) => terminals.open(start),
    restartTerminal: ({ terminalId, startedAt }) => terminals.restart(terminalId, startedAt),
    terminalInput: ({ terminalId, data }) => terminals.input(terminalId, data),
    resizeTerminal: ({ terminalId, cols, rows }) => terminals.resize(terminalId, cols, rows),
    watchTerminal: ({ terminalId, isWatched }) => terminals.letWatch(terminalId, isWatched),
    terminalScreen: ({ terminalId, sessionId }) => terminals.screen(terminalId, sessionId),
    closeTerminal: ({ terminalId }) => terminals.close(terminalId),
    viewTerminal({ viewId, terminalId }) {
      viewed.set(viewId, terminalId)
      const send = (push: TerminalPush): void =>
        client.send('terminalPushed', { viewId, push }, push.type === 'terminal' ? 0 : push.text.length)
      return terminals.addViewer(terminalId, keyOf(viewId), send, () => client.isReady())
    },
    leaveTerminal({ viewId }) {
      leave(viewId)
      return null
    },
  }
}
