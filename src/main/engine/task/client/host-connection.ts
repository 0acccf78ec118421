import { CancellationTokenSource, type MessageConnection } from 'vscode-jsonrpc/node'
import { CodedError } from '../../../../shared/errors'
import type { TaskPush, UsagePush } from '../../../../shared/events/push'
import type { Task } from '../../../../shared/model/task/task'
import type { TerminalPush, UserTerminal } from '../../../../shared/model/task/terminal'
import { connectionOver, fromWire } from '../protocol/json-rpc'
import type { HostNotifications, HostRequests } from '../protocol/task-protocol'
import type { HostSocket } from '../protocol/host-endpoint'

export interface HostConnectionEvents {
  changed: (tasks: Task[]) => void
  removed: (taskIds: string[]) => void
  measured: (push: UsagePush) => void
  /** The user's terminals, whenever one changes. Absent: this client does not follow them. */
  terminals?: (terminals: UserTerminal[]) => void
  /** The host disconnected or died. Called once, between `open` and `close`. */
  lost: () => void
}

/** One connection to the task host. Pending requests reject with `task.host_unavailable` when it breaks. */
export class HostConnection {
  private readonly connection: MessageConnection
  private readonly socket: HostSocket['socket']
  /** Reject functions of the pending requests. */
  private readonly pending = new Set<(error: Error) => void>()
  private readonly printed = new Map<number, (text: string) => void>()
  private readonly pushed = new Map<number, (push: TaskPush) => void>()
  private readonly viewed = new Map<number, (push: TerminalPush) => void>()
  private lastNumber = 0
  private isOpen = false
  /** The pid of the host. */
  pid = 0

  private constructor({ socket }: HostSocket, events: HostConnectionEvents) {
    this.socket = socket
    this.connection = connectionOver(socket)
    const on = <Name extends keyof HostNotifications>(
      name: Name,
      listener: (params: HostNotifications[Name]) => void,
    ): void => void this.connection.onNotification(name, listener)
    on('changed', ({ tasks }) => events.changed(tasks))
    on('removed', ({ taskIds }) => events.removed(taskIds))
    on('printed', ({ outputId, text }) => this.printed.get(outputId)?.(text))
    on('pushed', ({ watchId, push }) => this.pushed.get(watchId)?.(push))
    on('measured', (push) => events.measured(push))
    on('terminals', ({ terminals }) => events.terminals?.(terminals))
    on('terminalPushed', ({ viewId, push }) => this.viewed.get(viewId)?.(push))
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      this.connection.dispose()
      for (const fail of this.pending) fail(new CodedError('task.host_unavailable', 'The task host has exited.'))
      if (this.isOpen) events.lost()
    })
    this.connection.listen()
  }

  /** A failed write rejects its request before the socket's `close` event. */
  get isLost(): boolean {
    return this.socket.destroyed
  }

  /** Identifies us to the host and subscribes to changes. */
  static async open(host: HostSocket, events: HostConnectionEvents): Promise<HostConnection> {
    const link = new HostConnection(host, events)
    try {
      link.pid = (await link.ask('hello', { token: host.token })).pid
      if (events.terminals) events.terminals(await link.ask('followTerminals', {}))
      else events.changed(await link.ask('follow', {}))
      link.isOpen = true
      return link
    } catch (error) {
      link.close()
      throw error
    }
  }

  async ask<Method extends keyof HostRequests>(
    method: Method,
    params: HostRequests[Method]['params'],
    signal?: AbortSignal,
  ): Promise<HostRequests[Method]['result']> {
    const source = signal && new CancellationTokenSource()
    const cancel = (): void => source?.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
    try {
      return await new Promise((resolve, reject) => {
        // When the connection breaks, the library does not reject every pending request.
        this.pending.add(reject)
        this.connection
          .sendRequest<HostRequests[Method]['result']>(method, params, ...(source ? [source.token] : []))
          .then(resolve, reject)
          .finally(() => this.pending.delete(reject))
      })
    } catch (error) {
      throw this.isLost
        ? new CodedError('task.host_unavailable', 'The task host has exited.', { cause: error })
        : fromWire(error)
    } finally {
      signal?.removeEventListener('abort', cancel)
      source?.dispose()
    }
  }

  /** Returns a number that identifies the output of one command, and a function to unsubscribe. */
  onPrinted(listener: (text: string) => void): { outputId: number; stop: () => void } {
    const outputId = ++this.lastNumber
    this.printed.set(outputId, listener)
    return { outputId, stop: () => this.printed.delete(outputId) }
  }

  /** Subscribes to a user terminal; resolves with a function to stop, or undefined if it doesn't exist. */
  async viewTerminal(terminalId: string, listener: (push: TerminalPush) => void): Promise<(() => void) | undefined> {
    const viewId = ++this.lastNumber
    this.viewed.set(viewId, listener)
    const stop = (): void => {
      this.viewed.delete(viewId)
      if (this.isOpen && !this.isLost) void this.ask('leaveTerminal', { viewId }).catch(() => {})
    }
    const isThere = await this.ask('viewTerminal', { viewId, terminalId }).catch((error: unknown) => {
      this.viewed.delete(viewId)
      throw error
    })
    if (!isThere) this.viewed.delete(viewId)
    return isThere ? stop : undefined
  }

  /** Watches a task; resolves with a function to stop, or undefined if the host has no such running task. */
  async watch(taskId: string, listener: (push: TaskPush) => void): Promise<(() => void) | undefined> {
    const watchId = ++this.lastNumber
    this.pushed.set(watchId, listener)
    const stop = (): void => {
      this.pushed.delete(watchId)
      if (this.isOpen && !this.isLost) void this.ask('unwatch', { watchId }).catch(() => {})
    }
    try {
      if (await this.ask('watch', { watchId, taskId })) return stop
    } catch (error) {
      this.pushed.delete(watchId)
      throw error
    }
    this.pushed.delete(watchId)
    return undefined
  }

  close(): void {
    this.isOpen = false
    this.socket.end()
    this.socket.unref()
    setTimeout(() => this.socket.destroy(), 500).unref()
  }
}
