import { unwatchFile, watch, watchFile, type FSWatcher } from 'node:fs'
import { spawn } from 'node:child_process'
import { errorText } from '../../../../shared/error-text'
import { dial } from '../../process/home-endpoint'
import { hostEndpoint, hasHostEndpoint, type HostSocket } from '../protocol/host-endpoint'
import { CodedError } from '../../../../shared/errors'
import type { HostConnection, HostConnectionEvents } from './host-connection'
import { withoutPtyMasters } from '../../process/spawn'
import type { Orphan } from '../../../../shared/model/task/task'

const LOOK_MS = 100
const POLL_MS = 2_000
/** If a host exits just as we connect, we try again with a new one. */
const MAX_TRIES = 3
/** For this long after a failed start, callers that can do without a host don't retry. */
const RETRY_AFTER_MS = 60_000

export interface HostConnectorOptions {
  home: string
  /** Absent: hosts are found, but never started. */
  program?: TaskHostProgram
  env: () => Record<string, string>
  events: HostConnectionEvents
  /** Called for every new connection. */
  onLink: (link: HostConnection) => void
}

/**
 * Maintains the connection to the task host of a home: finds it, starts it on demand, and finds its successor when it
 * dies.
 */
export class HostConnector {
  private readonly options: HostConnectorOptions
  private link: HostConnection | undefined
  private linking: Promise<HostConnection | undefined> | undefined
  private loading: Promise<unknown> | undefined
  private watcher: FSWatcher | undefined
  /** The folder of hosts, where it cannot be watched. */
  private polled: string | undefined
  private lookTimer: NodeJS.Timeout | undefined
  private isClosed = false
  private failed: { error: HostStartError; at: number } | undefined

  constructor(options: HostConnectorOptions) {
    this.options = options
  }

  /** Also finds hosts that other processes start from now on. */
  watchForHosts(): void {
    if (this.isClosed || this.watcher || this.polled !== undefined) return
    const { folder } = hostEndpoint(this.options.home)
    try {
      this.watcher = watch(folder, this.look)
      this.watcher.on('error', () => {})
      this.watcher.unref()
    } catch {
      // The system has no watches left.
      this.polled = folder
      watchFile(folder, { interval: POLL_MS, persistent: false }, this.look)
    }
  }

  private readonly look = (): void => {
    this.lookTimer ??= setTimeout(() => {
      this.lookTimer = undefined
      void this.find().catch(() => {})
    }, LOOK_MS).unref()
  }

  /** The running host, if there is one. Throws CodedError `task.host_unavailable` if it cannot be reached. */
  async find(): Promise<HostConnection | undefined> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.get(() => findTaskHost(this.options.home))
      } catch (error) {
        if (this.isClosed || tries === MAX_TRIES) throw error
      }
    }
  }

  /** Like `need`, for callers that can do without a host: rejects immediately if the last start failed recently. */
  async want(): Promise<HostConnection> {
    const { failed } = this
    if (failed && performance.now() - failed.at < RETRY_AFTER_MS) {
      const found = await this.find()
      if (found) return found
      throw failed.error
    }
    return this.need()
  }

  /** The running host, or a new one. Throws CodedError `task.host_unavailable` if none can be started. */
  async need(): Promise<HostConnection> {
    const { home, program, env } = this.options
    if (!program) {
      const found = await this.find()
      if (found) return found
      throw new CodedError('task.host_unavailable', 'No task host runs, and this program cannot start one.')
    }
    let reason: unknown
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      try {
        const link = await this.get(() => connectTaskHost(home, program, env()), true)
        if (link) {
          this.failed = undefined
          return link
        }
      } catch (error) {
        reason = error
        if (!(error instanceof HostStartError)) continue
        this.failed = { error, at: performance.now() }
        break
      }
    }
    if (reason instanceof CodedError) throw reason
    throw new CodedError(
      'task.host_unavailable',
      reason instanceof Error ? reason.message : 'The task host cannot be reached.',
      {
        cause: reason,
      },
    )
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.lookTimer)
    this.watcher?.close()
    if (this.polled !== undefined) unwatchFile(this.polled, this.look)
    this.link?.close()
    this.link = undefined
    await this.loading?.catch(() => undefined)
  }

  private async get(
    connect: () => Promise<HostSocket | undefined>,
    isStart = false,
  ): Promise<HostConnection | undefined> {
    if (this.isClosed) throw closingError()
    if (this.link && !this.link.isLost) return this.link
    const before = this.linking
    if (before) {
      const link = await before.catch((error: unknown) => {
        // A caller that has waited for one failed start shouldn't wait for another.
        if (isStart && error instanceof HostStartError) throw error
        return undefined
      })
      return link ?? this.get(connect, isStart)
    }
    const { events, onLink } = this.options
    const linking = (async () => {
      const host = await connect()
      if (!host) return undefined
      if (this.isClosed) {
        host.socket.destroy()
        throw closingError()
      }
      const loading = import('./host-connection')
      this.loading = loading
      const { HostConnection } = await loading
      const link: HostConnection = await HostConnection.open(host, {
        ...events,
        lost: () => {
          if (this.link === link) this.link = undefined
          events.lost()
        },
      })
      if (this.isClosed) {
        link.close()
        throw closingError()
      }
      this.link = link
      onLink(link)
      return link
    })()
    this.linking = linking
    try {
      return await linking
    } finally {
      if (this.linking === linking) this.linking = undefined
    }
  }
}

function closingError(): CodedError {
  return new CodedError('task.host_unavailable', 'Trestle is closing.')
}

const START_MS = 10_000
const MAX_ERROR_CHARS = 2_000

/**
 * How to start the task host: a program, which may have to be installed first, and its first arguments. The home is
 * appended.
 */
export interface TaskHostProgram {
  program: readonly string[] | ((home: string) => Promise<readonly string[]>)
  env?: Record<string, string>
}

/** No task host could be started. An immediate retry would fail the same way. */
class HostStartError extends CodedError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('task.host_unavailable', message, options)
  }
}

/** Connects to the host of this home, if there is one. */
export async function findTaskHost(home: string): Promise<HostSocket | undefined> {
  if (!hasHostEndpoint(home)) return undefined
  const endpoint = hostEndpoint(home)
  const newest = endpoint.newest()
  const socket = newest && (await dial(newest.path))
  return socket && { socket, token: endpoint.token }
}

/**
 * Connects to the host of this home; starts one if needed. Throws CodedError `task.host_unavailable` on failure.
 */
export async function connectTaskHost(
  home: string,
  { program, env = {} }: TaskHostProgram,
  commandEnv: Record<string, string>,
): Promise<HostSocket> {
  const found = await findTaskHost(home)
  if (found) return found
  const path = await startTaskHost(home, await commandOf(program, home), { ...commandEnv, ...env })
  const socket = await dial(path)
  if (!socket) throw new CodedError('task.host_unavailable', 'The task host has ended right after its start.')
  return { socket, token: hostEndpoint(home).token }
}

async function commandOf(program: TaskHostProgram['program'], home: string): Promise<readonly string[]> {
  if (typeof program !== 'function') return program
  try {
    return await program(home)
  } catch (error) {
    throw new HostStartError(errorText(error), { cause: error })
  }
}

/**
 * Starts a host that outlives this process and waits until it, or one that another process started first, is listening.
 * Resolves with its socket path.
 */
function startTaskHost(home: string, program: readonly string[], env: Record<string, string>): Promise<string> {
  const [command = '', ...args] = program
  return new Promise((resolve, reject) => {
    const child = withoutPtyMasters(
      (stdio) => spawn(command, [...args, home], { cwd: home, env, stdio, detached: true, windowsHide: true }),
      ['ignore', 'pipe', 'pipe'],
    )
    let [out, problem] = ['', '']
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail(`it did not answer within ${START_MS / 1000} s`)
    }, START_MS)
    const detach = (): void => {
      clearTimeout(timer)
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
    }
    const fail = (reason: string): void => {
      detach()
      reject(new HostStartError(`The task host could not be started: ${reason}.`))
    }
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (!out.includes('\n')) return
      detach()
      resolve((JSON.parse(out.slice(0, out.indexOf('\n'))) as { path: string }).path)
    })
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (problem = (problem + text).slice(0, MAX_ERROR_CHARS)))
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'EACCES' ? `${command} cannot be run (is its disk mounted noexec?)` : error.message),
    )
    child.once('close', (code, signal) => fail(problem.trim() || `it ended with ${code ?? signal}`))
  })
}

/** The notice that the task host died with `lost` background tasks. */
export function hostDiedNotice(lost: number): string {
  const what =
    lost === 1
      ? ' One background task is lost; its output is kept.'
      : ` ${lost} background tasks are lost; their output is kept.`
  return `The task host has died.${lost === 0 ? '' : what} The next command starts a new one.`
}

/** The notice that commands cannot run in the task host; `reason` is a sentence. */
export function unavailableNotice(reason: string): string {
  return (
    'Commands run without the task host, so they cannot go to the background, and you cannot type into them. ' + reason
  )
}

/** The notice about processes that a crashed run left behind. */
export function orphanNotice(orphans: readonly Orphan[]): string {
  const tasks = new Set(orphans.map(({ taskId }) => taskId)).size
  const still = orphans.length === 1 ? 'One process' : `${orphans.length} processes`
  return (
    `${still} of ${tasks === 1 ? 'a task' : `${tasks} tasks`} of an earlier run still ` +
    `${orphans.length === 1 ? 'runs' : 'run'}. Look at Tasks to stop ${orphans.length === 1 ? 'it' : 'them'}.`
  )
}
