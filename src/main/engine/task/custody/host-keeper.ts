import { watch, type FSWatcher } from 'node:fs'
import { hostPlace } from '../host/host-place'
import { CodedError } from '../../../../shared/model/errors'
import { connectTaskHost, findTaskHost, HostStartError, type HostSocket, type TaskHostProgram } from './connect-task-host'
import type { HostLink, HostLinkEvents } from './host-link'

const LOOK_MS = 100
/** A host that ends just when we come is followed by a new one. */
const MOST_TRIES = 3
/** For so long after a failed start, what can do without a host does not start another. */
const REST_MS = 60_000

export interface HostKeeperOptions {
  home: string
  /** Absent: hosts are found, but never started. */
  program?: TaskHostProgram
  env: () => Record<string, string>
  events: HostLinkEvents
  /** There is a connection (again). */
  onLink: (link: HostLink) => void
}

/** Keeps the connection to the task host of a home: finds it, starts it when one is needed, finds the next when it died. */
export class HostKeeper {
  private readonly options: HostKeeperOptions
  private link: HostLink | undefined
  private linking: Promise<HostLink | undefined> | undefined
  private watcher: FSWatcher | undefined
  private lookTimer: NodeJS.Timeout | undefined
  private isClosed = false
  private failed: { error: HostStartError; at: number } | undefined

  constructor(options: HostKeeperOptions) {
    this.options = options
  }

  /** Finds hosts that others start, too, from now on. */
  lookOut(): void {
    if (this.isClosed || this.watcher) return
    this.watcher = watch(hostPlace(this.options.home).folder, () => {
      this.lookTimer ??= setTimeout(() => {
        this.lookTimer = undefined
        void this.find().catch(() => {})
      }, LOOK_MS).unref()
    })
    this.watcher.on('error', () => {})
    this.watcher.unref()
  }

  /** The host there is. */
  find(): Promise<HostLink | undefined> {
    return this.get(() => findTaskHost(this.options.home))
  }

  /** As `need`, for what can do without a host: rejects at once when the last start failed a moment ago. */
  async want(): Promise<HostLink> {
    const { failed } = this
    if (failed && performance.now() - failed.at < REST_MS) {
      const found = await this.find()
      if (found) return found
      throw failed.error
    }
    return this.need()
  }

  /** The host there is, or a new one. CodedError `task.host_unavailable` when there can be none. */
  async need(): Promise<HostLink> {
    const { home, program, env } = this.options
    if (!program) {
      const found = await this.find()
      if (found) return found
      throw new CodedError('task.host_unavailable', 'No task host runs, and this program cannot start one.')
    }
    let reason: unknown
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
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
    throw new CodedError('task.host_unavailable', reason instanceof Error ? reason.message : 'The task host cannot be reached.', {
      cause: reason,
    })
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.lookTimer)
    this.watcher?.close()
    this.link?.close()
    this.link = undefined
  }

  private async get(connect: () => Promise<HostSocket | undefined>, isStart = false): Promise<HostLink | undefined> {
    if (this.isClosed) throw new CodedError('task.host_unavailable', 'Trestle is closing.')
    if (this.link && !this.link.isLost) return this.link
    const before = this.linking
    if (before) {
      const link = await before.catch((error: unknown) => {
        // Whoever waited for a start that failed need not see another fail.
        if (isStart && error instanceof HostStartError) throw error
        return undefined
      })
      return link ?? this.get(connect, isStart)
    }
    const { events, onLink } = this.options
    const linking = (async () => {
      const host = await connect()
      if (!host) return undefined
      const { HostLink } = await import('./host-link')
      const link: HostLink = await HostLink.open(host, {
        ...events,
        lost: () => {
          if (this.link === link) this.link = undefined
          events.lost()
        },
      })
      if (this.isClosed) {
        link.close()
        throw new CodedError('task.host_unavailable', 'Trestle is closing.')
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
