import { AsyncIteratorClass } from '@orpc/server'
import type { InboxEntry } from '../../../shared/model/approval/approval'
import type { AppPush, HostCommand } from '../../../shared/events/push'
import type { SessionSummary } from '../../../shared/model/session/session'
import type { Task } from '../../../shared/model/task/task'
import type { Engine } from '../../engine/engine-api'
import type { EngineChange } from '../../engine/foundation/engine-options'
import { type Clock, systemClock } from './session-push-queue'

export interface AppSubscription {
  signal?: AbortSignal
  clock?: Clock
  /** Minimum ms between two pushes of changes. */
  frameMs?: number
  heartbeatMs?: number
  /** Commands from the host's menus; only the newest few are kept for a slow client. */
  onCommand?: (listener: (command: HostCommand) => void) => () => void
  /** Maps an exception to the error sent to the client; default: the exception itself. */
  mapError?: (error: unknown) => unknown
}

/** The sources of a client's lists: this machine and the places. */
type FollowedEngine = Pick<Engine, 'sessions' | 'inbox' | 'onChange' | 'places'>

const MAX_SESSIONS = 10_000
/** Sessions in the first push, newest first: more than a page shows at startup. */
const FIRST_SESSIONS = 100
/** Sessions in each later push, so that processing one does not drop a frame. */
const SESSIONS_PER_PUSH = 500
/** Delay before the remaining sessions, in ms: gives the page time to draw the latest first. */
const REMAINING_DELAY_MS = 150
/** Maximum menu commands kept while a client sleeps. */
const MAX_COMMANDS = 5

/** Maximum notices kept while a client sleeps. */
const MAX_NOTICES = 20

/**
 * State, not history: newer state replaces pending state, so a slow client has at most one entry per session and task.
 */
class AppPushQueue {
  readonly #clock: Clock
  readonly #frameMs: number
  readonly #heartbeatMs: number
  readonly #engine: FollowedEngine
  readonly #first: AppPush[]
  /** The sessions of the first push, while the others are still pending. */
  #latest: SessionSummary[] | undefined
  #restDue = false
  readonly #changed = new Map<string, SessionSummary>()
  readonly #removed = new Set<string>()
  readonly #changedTasks = new Map<string, Task>()
  readonly #removedTasks = new Set<string>()
  readonly #trust = new Set<string>()
  /** The current notices to the user, in order. */
  readonly #notices: Extract<AppPush, { type: 'notice' | 'notification' }>[] = []
  #inbox = false
  /** Lists that have changed and must be read again. */
  readonly #topics = new Set<
    | 'settings'
    | 'models'
    | 'mcp'
    | 'memory'
    | 'worktrees'
    | 'marks'
    | 'notifications'
    | 'alarms'
    | 'schedules'
    | 'plugins'
    | 'terminals'
    | 'git'
    | 'places'
  >()
  #beat = false
  readonly #commands: HostCommand[] = []
  #ended = false
  #lastFlush = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #cancelBeat: () => void = () => {}
  readonly #cleanups: (() => void)[] = []

  constructor(engine: FollowedEngine, subscription: AppSubscription) {
    this.#engine = engine
    this.#clock = subscription.clock ?? systemClock
    this.#frameMs = subscription.frameMs ?? 16
    this.#heartbeatMs = subscription.heartbeatMs ?? 5000
    const { signal } = subscription
    signal?.throwIfAborted()
    const latest = engine.sessions.list({ limit: FIRST_SESSIONS })
    if (latest.length === FIRST_SESSIONS) this.#latest = latest
    this.#first = [
      {
        type: 'sessions',
        changed: [...latest.filter(this.#isHere()), ...engine.places.sessions()],
        removed: [],
        ...this.#unlessWhole(),
      },
      { type: 'inbox', entries: allRequests(engine) },
    ]
    if (this.#latest) {
      const stopWaiting = this.#clock.after(REMAINING_DELAY_MS, () => {
        this.#restDue = true
        this.#wake?.()
      })
      this.#cleanups.push(stopWaiting)
    }
    const abort = (): void => this.end()
    signal?.addEventListener('abort', abort, { once: true })
    this.#cleanups.push(
      engine.onChange((change) => this.#onChange(change)),
      () => signal?.removeEventListener('abort', abort),
      () => this.#cancelBeat(),
    )
    const stopCommands = subscription.onCommand?.((command) => {
      if (this.#commands.length < MAX_COMMANDS) this.#commands.push(command)
      this.#wake?.()
    })
    if (stopCommands) this.#cleanups.push(stopCommands)
    this.#scheduleBeat()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<AppPush, undefined>> {
    for (;;) {
      if (this.#ended) return { done: true, value: undefined }
      const push = this.#take()
      if (push) return { done: false, value: push }
      await new Promise<void>((resolve) => {
        const left = this.#hasChange() ? Math.max(0, this.#lastFlush + this.#frameMs - this.#clock.now()) : undefined
        const cancel = left === undefined ? undefined : this.#clock.after(left, () => finish())
        const finish = (): void => {
          cancel?.()
          this.#wake = undefined
          resolve()
        }
        this.#wake = finish
      })
    }
  }

  #take(): AppPush | undefined {
    if (this.#restDue) this.#addRemainingSessions()
    const first = this.#first.shift()
    if (first) return first
    const command = this.#commands.shift()
    if (command !== undefined) return { type: 'command', command }
    if (this.#beat) {
      this.#beat = false
      return { type: 'heartbeat', at: Date.now() }
    }
    if (!this.#hasChange() || this.#clock.now() - this.#lastFlush < this.#frameMs) return undefined
    const push = this.#takeChange()
    // A change in the same frame that needs its own push follows immediately.
    if (!this.#hasChange()) this.#lastFlush = this.#clock.now()
    return push
  }

  #takeChange(): AppPush {
    if (this.#changed.size > 0 || this.#removed.size > 0) {
      const push: AppPush = {
        type: 'sessions',
        changed: [...this.#changed.values()],
        removed: [...this.#removed],
        ...this.#unlessWhole(),
      }
      this.#changed.clear()
      this.#removed.clear()
      return push
    }
    if (this.#changedTasks.size > 0 || this.#removedTasks.size > 0) {
      const push: AppPush = {
        type: 'tasks',
        changed: [...this.#changedTasks.values()],
        removed: [...this.#removedTasks],
      }
      this.#changedTasks.clear()
      this.#removedTasks.clear()
      return push
    }
    if (this.#inbox) {
      this.#inbox = false
      return { type: 'inbox', entries: allRequests(this.#engine) }
    }
    const notice = this.#notices.shift()
    if (notice) return notice
    for (const folder of this.#trust) {
      this.#trust.delete(folder)
      return { type: 'trust', folder }
    }
    const [topic = 'models'] = this.#topics
    this.#topics.delete(topic)
    return { type: topic }
  }

  /** The remaining sessions, sent before any later change. */
  #addRemainingSessions(): void {
    const sent = new Set(this.#latest?.map(({ sessionId }) => sessionId))
    this.#latest = undefined
    this.#restDue = false
    const rest = this.#engine.sessions.list({ limit: MAX_SESSIONS }).filter(this.#isHere(sent))
    let from = 0
    do {
      const changed = rest.slice(from, (from += SESSIONS_PER_PUSH))
      this.#first.push({ type: 'sessions', changed, removed: [], ...(from < rest.length && { more: true }) })
    } while (from < rest.length)
  }

  /** Whether a row of this machine should be sent: not if it was sent, or if it was moved to a place that lists it. */
  #isHere(sent: ReadonlySet<string> = new Set()): (summary: SessionSummary) => boolean {
    const there = new Set(this.#engine.places.sessions().map(({ sessionId }) => sessionId))
    return ({ sessionId }) => !sent.has(sessionId) && !there.has(sessionId)
  }

  #unlessWhole(): { more?: true } {
    return this.#latest ? { more: true } : {}
  }

  #hasChange(): boolean {
    return (
      [this.#changed, this.#removed, this.#changedTasks, this.#removedTasks, this.#trust].some(
        ({ size }) => size > 0,
      ) ||
      this.#notices.length > 0 ||
      this.#inbox ||
      this.#topics.size > 0
    )
  }

  #onChange(change: EngineChange): void {
    switch (change.kind) {
      case 'session':
        this.#removed.delete(change.summary.sessionId)
        this.#changed.set(change.summary.sessionId, change.summary)
        break
      case 'session.removed':
        this.#changed.delete(change.sessionId)
        this.#removed.add(change.sessionId)
        break
      case 'task':
        this.#removedTasks.delete(change.task.taskId)
        this.#changedTasks.set(change.task.taskId, change.task)
        break
      case 'task.removed':
        this.#changedTasks.delete(change.taskId)
        this.#removedTasks.add(change.taskId)
        break
      case 'inbox':
        this.#inbox = true
        break
      case 'session.moved':
        // Its row is updated with the lists of the places.
        break
      case 'trust':
        this.#trust.add(change.folder)
        break
      case 'notice':
        this.#notices.push({
          type: 'notice',
          text: change.text,
          tone: change.tone,
          ...(change.about && { about: change.about }),
        })
        if (this.#notices.length > MAX_NOTICES) this.#notices.shift()
        break
      case 'notification':
        this.#notices.push({ type: 'notification', notification: change.notification })
        if (this.#notices.length > MAX_NOTICES) this.#notices.shift()
        break
      case 'settings':
      case 'models':
      case 'mcp':
      case 'memory':
      case 'git':
      case 'worktrees':
      case 'marks':
      case 'notifications':
      case 'alarms':
      case 'schedules':
      case 'plugins':
      case 'terminals':
      case 'places':
        this.#topics.add(change.kind)
        break
    }
    this.#wake?.()
  }

  #scheduleBeat(): void {
    this.#cancelBeat = this.#clock.after(this.#heartbeatMs, () => {
      this.#beat = true
      this.#wake?.()
      this.#scheduleBeat()
    })
  }
}

/** The requests of this machine and of the places, oldest first. */
export function allRequests({ inbox, places }: Pick<Engine, 'inbox' | 'places'>): InboxEntry[] {
  const there = places.inbox()
  return there.length === 0 ? inbox.list() : [...inbox.list(), ...there].sort((a, b) => a.requestedAt - b.requestedAt)
}

/**
 * Subscribes to the app: first the session list (the latest immediately) and the inbox, then changes, and a heartbeat
 * every 5 s. Ends with the iterator or the signal.
 */
export function appPushes(
  engine: FollowedEngine,
  subscription: AppSubscription = {},
): AsyncIteratorClass<AppPush, undefined, void> {
  const queue = new AppPushQueue(engine, subscription)
  return new AsyncIteratorClass<AppPush, undefined, void>(
    () =>
      queue.next().catch((error: unknown) => {
        throw subscription.mapError?.(error) ?? error
      }),
    async () => queue.end(),
  )
}
