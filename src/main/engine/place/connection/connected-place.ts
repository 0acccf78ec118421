import { CodedError, failureOf } from '../../../../shared/errors'
import type { InboxEntry } from '../../../../shared/model/approval/approval'
import type { Place, PlaceQuestion, PlaceView } from '../../../../shared/model/place/place'
import type { SessionSummary } from '../../../../shared/model/session/session'
import type { Task } from '../../../../shared/model/task/task'
import type { Launcher } from '../launcher/launcher'
import { PortForwards } from './port-forwards'
import { RemoteEngine, type RemoteTiming } from '../remote/remote-engine'
import { RemoteUsage } from '../remote/remote-usage'
import { idsOf, inboxOf, sessionsOf, tasksOf } from '../remote/remote-lists'
import { misbehaved, type LinkLimits, type WireLink } from '../remote/wire-link'

export interface ConnectedPlaceOptions {
  place: Place
  launcher: Launcher
  timing?: Partial<RemoteTiming>
  limits?: LinkLimits
  /** The sessions of this place when it was last connected. */
  remembered?: SessionSummary[]
  /** Whether an id belongs to this machine or another place, so that this place cannot claim it. */
  isTaken(kind: 'session' | 'task', id: string): boolean
  onChange(change: PlaceChange): void
  /** Called for each new connection. */
  connected?(link: WireLink): void
}

export type PlaceChange =
  | { kind: 'state' }
  | { kind: 'session'; summary: SessionSummary }
  | { kind: 'session.removed'; sessionId: string }
  | { kind: 'task'; task: Task }
  | { kind: 'task.removed'; taskId: string }
  | { kind: 'inbox' }

/** A place in use: its engine and its lists, which are kept while it cannot be reached. */
export class ConnectedPlace {
  readonly place: Place
  readonly launcher: Launcher
  readonly remote: RemoteEngine
  readonly sessions = new Map<string, SessionSummary>()
  readonly tasks = new Map<string, Task>()
  /** The user's own terminals that were opened there. */
  readonly terminals = new Set<string>()
  /** Its ports that are forwarded to this machine. */
  readonly forwards: PortForwards
  readonly usage: RemoteUsage
  /** Subscriptions to its sessions. */
  readonly followers = new Set<{ sessionId: string; end(): void }>()
  inbox: InboxEntry[] = []
  question: PlaceQuestion | undefined
  /** Progress of a test or update. */
  #progress: string | undefined
  /** Sessions that are not in the list, such as those of subagents. */
  readonly #others = new Set<string>()
  readonly #options: ConnectedPlaceOptions
  readonly #hasListed = Promise.withResolvers<void>()

  constructor(options: ConnectedPlaceOptions) {
    const { place, launcher, remembered = [], timing, limits } = options
    this.#options = options
    this.place = place
    this.launcher = launcher
    this.forwards = new PortForwards(launcher)
    this.usage = new RemoteUsage((signal) => this.remote.nextLink(signal), this.tasks)
    for (const summary of remembered) this.sessions.set(summary.sessionId, summary)
    this.remote = new RemoteEngine({
      launcher,
      ...(timing && { timing }),
      ...(limits && { limits }),
      changed: () => options.onChange({ kind: 'state' }),
      connected: (link) => {
        void this.#follow(link)
        options.connected?.(link)
      },
    })
  }

  /** Ends everything that depends on the connection. */
  close(): void {
    this.forwards.close()
    this.usage.stop()
    for (const follower of this.followers) follower.end()
    this.#hasListed.resolve()
  }

  /** Resolves once it has listed its sessions or cannot be reached; immediately if it should not be connected. */
  readonly listed = async (isWanted: boolean): Promise<void> => {
    if (isWanted)
      await Promise.race([
        this.#hasListed.promise,
        this.remote.ready().then(
          () => this.#hasListed.promise,
          () => undefined,
        ),
      ])
  }

  view(): PlaceView {
    return {
      ...this.place,
      ...this.remote.state,
      sessions: this.sessions.size,
      ...(this.#progress !== undefined && { progress: this.#progress }),
      ...(this.question && { question: this.question }),
    }
  }

  /** Shows the progress of a test or update; undefined: done. */
  showProgress(progress: string | undefined): void {
    if (progress === this.#progress) return
    this.#progress = progress
    this.#options.onChange({ kind: 'state' })
  }

  hasSession(sessionId: string): boolean {
    return this.sessions.has(sessionId) || this.#others.has(sessionId)
  }

  /** Remembers a session that was created there, or that another session there refers to. */
  rememberSession(sessionId: string): void {
    if (this.#others.size < 20_000 && !this.#options.isTaken('session', sessionId)) this.#others.add(sessionId)
  }

  /** Forgets a session that was moved away; its subscribers must subscribe again. */
  forget(sessionId: string): void {
    this.sessions.delete(sessionId)
    this.#others.delete(sessionId)
    for (const follower of this.followers) if (follower.sessionId === sessionId) follower.end()
  }

  /**
   * Follows the lists of the place for as long as the connection lasts. A connection whose lists are no longer updated
   * is closed, because what is shown would be out of date: the next one reads them again.
   */
  async #follow(link: WireLink): Promise<void> {
    const { placeId } = this.place
    /** The sessions in the first list, until the list is complete. */
    let named: Set<string> | undefined = new Set()
    const pushes = link.subscribe('push.app', undefined)
    void this.#readTasks(link)
    try {
      for await (const push of pushes) {
        if (typeof push !== 'object' || push === null) throw misbehaved('a push that is no object')
        const { type, changed, removed, entries, more } = push as Record<string, unknown>
        if (type === 'sessions') {
          for (const summary of sessionsOf(placeId, changed)) if (this.#take(summary)) named?.add(summary.sessionId)
          for (const sessionId of idsOf(removed)) this.#drop(sessionId)
          if (more !== true && named) {
            for (const sessionId of this.sessions.keys()) if (!named.has(sessionId)) this.#drop(sessionId)
            named = undefined
            this.#hasListed.resolve()
          }
        } else if (type === 'tasks') {
          for (const task of tasksOf(placeId, changed)) this.#takeTask(task)
          for (const taskId of idsOf(removed))
            if (this.tasks.delete(taskId)) this.#options.onChange({ kind: 'task.removed', taskId })
        } else if (type === 'inbox') {
          // Requests of sessions that don't belong to the place are not shown, whatever it reports.
          this.inbox = inboxOf(placeId, entries).filter(({ sessionId, agent }) => {
            if (this.#options.isTaken('session', sessionId)) return false
            if (agent) this.rememberSession(sessionId)
            return true
          })
          for (const { sessionId } of this.inbox) this.rememberSession(sessionId)
          this.#options.onChange({ kind: 'inbox' })
        }
      }
      // It ended there, for example because that engine is stopping.
      link.close()
    } catch (error) {
      link.close(reasonToClose(error))
    }
    const { link: current } = this.remote
    if (this.inbox.length > 0 && (current === undefined || current === link)) {
      this.inbox = []
      this.#options.onChange({ kind: 'inbox' })
    }
  }

  async #readTasks(link: WireLink): Promise<void> {
    try {
      const tasks = tasksOf(this.place.placeId, await link.call('task.list', { limit: 500 }))
      const ids = new Set(tasks.map(({ taskId }) => taskId))
      for (const taskId of this.tasks.keys())
        if (!ids.has(taskId)) {
          this.tasks.delete(taskId)
          this.#options.onChange({ kind: 'task.removed', taskId })
        }
      for (const task of tasks) this.#takeTask(task)
    } catch {
      // Read again with the next connection.
    }
  }

  #take(summary: SessionSummary): boolean {
    const { sessionId } = summary
    if (this.#options.isTaken('session', sessionId)) {
      // It was moved to this machine in the meantime.
      this.sessions.delete(sessionId)
      return false
    }
    if (!this.sessions.has(sessionId) && this.sessions.size >= 10_000) return false
    this.sessions.set(sessionId, summary)
    this.#options.onChange({ kind: 'session', summary })
    return true
  }

  #drop(sessionId: string): void {
    if (this.sessions.delete(sessionId)) this.#options.onChange({ kind: 'session.removed', sessionId })
  }

  #takeTask(task: Task): void {
    const isNew = !this.tasks.has(task.taskId)
    if (isNew && (this.tasks.size >= 2000 || this.#options.isTaken('task', task.taskId))) return
    if (task.sessionId !== undefined && this.#options.isTaken('session', task.sessionId)) return
    this.tasks.set(task.taskId, task)
    this.#options.onChange({ kind: 'task', task })
  }
}

/** Only a lost connection is opened again: any other failure would repeat. */
function reasonToClose(error: unknown): CodedError {
  const { code, message } = failureOf(error)
  if (error instanceof CodedError && (code === 'connection.lost' || code === 'place.misbehaved')) return error
  return misbehaved(`no lists: ${message}`)
}
