import { AsyncIteratorClass } from '@orpc/server'
import type { AppPush, HostCommand } from '../../shared/model/push'
import type { SessionSummary } from '../../shared/model/session'
import type { Engine, EngineChange } from '../engine/engine-api'
import type { Clock } from './clock'
import { systemClock } from './clock'

export interface AppSubscription {
  signal?: AbortSignal
  clock?: Clock
  /** Least ms between two pushes of changes. */
  frameMs?: number
  heartbeatMs?: number
  /** Commands from the host's menus; the newest few wait for a slow client. */
  onCommand?: (listener: (command: HostCommand) => void) => () => void
  /** What the client is told for an exception; default: the exception itself. */
  mapError?: (error: unknown) => unknown
}

const MOST_SESSIONS = 10_000
/** More menu clicks than this while a client sleeps are not meant. */
const MOST_COMMANDS = 5

/** State, not history: whatever waits for a slow client is replaced by what is newer, so it never grows beyond one entry per session. */
class AppPushQueue {
  readonly #clock: Clock
  readonly #frameMs: number
  readonly #heartbeatMs: number
  #first: AppPush | undefined
  readonly #changed = new Map<string, SessionSummary>()
  readonly #removed = new Set<string>()
  #settings = false
  #models = false
  #beat = false
  readonly #commands: HostCommand[] = []
  #ended = false
  #lastFlush = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #cancelBeat: () => void = () => {}
  readonly #cleanups: (() => void)[] = []

  constructor(engine: Pick<Engine, 'sessions' | 'onChange'>, subscription: AppSubscription) {
    this.#clock = subscription.clock ?? systemClock
    this.#frameMs = subscription.frameMs ?? 16
    this.#heartbeatMs = subscription.heartbeatMs ?? 5000
    const { signal } = subscription
    signal?.throwIfAborted()
    this.#first = { type: 'sessions', changed: engine.sessions.list({ limit: MOST_SESSIONS }), removed: [] }
    const abort = (): void => this.end()
    signal?.addEventListener('abort', abort, { once: true })
    this.#cleanups.push(
      engine.onChange((change) => this.#hear(change)),
      () => signal?.removeEventListener('abort', abort),
      () => this.#cancelBeat(),
    )
    const stopCommands = subscription.onCommand?.((command) => {
      if (this.#commands.length < MOST_COMMANDS) this.#commands.push(command)
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
    if (this.#first) {
      const first = this.#first
      this.#first = undefined
      return first
    }
    const command = this.#commands.shift()
    if (command !== undefined) return { type: 'command', command }
    if (this.#beat) {
      this.#beat = false
      return { type: 'heartbeat', at: Date.now() }
    }
    if (!this.#hasChange() || this.#clock.now() - this.#lastFlush < this.#frameMs) return undefined
    const push = this.#takeChange()
    // What changed in the same frame but needs a push of its own follows at once.
    if (!this.#hasChange()) this.#lastFlush = this.#clock.now()
    return push
  }

  #takeChange(): AppPush {
    if (this.#changed.size > 0 || this.#removed.size > 0) {
      const push: AppPush = { type: 'sessions', changed: [...this.#changed.values()], removed: [...this.#removed] }
      this.#changed.clear()
      this.#removed.clear()
      return push
    }
    if (this.#settings) {
      this.#settings = false
      return { type: 'settings' }
    }
    this.#models = false
    return { type: 'models' }
  }

  #hasChange(): boolean {
    return this.#changed.size > 0 || this.#removed.size > 0 || this.#settings || this.#models
  }

  #hear(change: EngineChange): void {
    switch (change.kind) {
      case 'session':
        this.#removed.delete(change.summary.sessionId)
        this.#changed.set(change.summary.sessionId, change.summary)
        break
      case 'session.removed':
        this.#changed.delete(change.sessionId)
        this.#removed.add(change.sessionId)
        break
      case 'settings':
        this.#settings = true
        break
      case 'models':
        this.#models = true
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

/** Subscribes to the app: the whole session list first, then what changes, and a heartbeat every 5 s. Listens until the iterator or the signal ends it. */
export function appPushes(
  engine: Pick<Engine, 'sessions' | 'onChange'>,
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
