import { AsyncIteratorClass } from '@orpc/server'
import { type LiveEvent, type RecordedEvent, type SessionEvent, isRecorded } from '../../../shared/events/event'
import { CodedError } from '../../../shared/errors'
import type { SessionPush } from '../../../shared/events/push'
import { PendingEvents, estimateJsonBytes } from './pending-events'
import type { Sessions } from '../../engine/session/sessions-for-hosts'

/** The clock of the push queues; tests pass their own. */
export interface Clock {
  /** Monotonic time in ms from any fixed point. */
  now(): number
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Limits for one push and for what is pending for a slow client. */
export interface PushLimits {
  /**
   * Throttle of pushes: minimum ms between two pushes of new events. A user sees no difference from pushing every
   * frame.
   */
  frameMs: number
  /** Maximum events and approximate bytes of one push; a single larger event is still sent, alone. */
  chunkEvents: number
  chunkBytes: number
  /** Maximum pending events and approximate bytes. Beyond: live events are dropped; if that is not enough, `lagged`. */
  pendingEvents: number
  pendingBytes: number
}

export const PUSH_LIMITS: PushLimits = {
  frameMs: 32,
  chunkEvents: 500,
  chunkBytes: 1 << 20,
  pendingEvents: 5000,
  pendingBytes: 32 << 20,
}

export interface SessionSubscription {
  sessionId: string
  /** The last `seq` the client has. */
  since: number
  signal?: AbortSignal
  limits?: Partial<PushLimits>
  clock?: Clock
  /** Called when the subscription has ended for any reason. */
  onEnd?: () => void
  /** Maps an exception to the error sent to the client; default: the exception itself. */
  mapError?: (error: unknown) => unknown
}

type SessionReader = Pick<Sessions, 'header' | 'since' | 'live' | 'listen'>

/**
 * One client's queue of a session's events. The engine's side (`#onEvent`) only appends to memory, so it never waits;
 * the client's side (`next`) reads at its own pace: first the log after `since`, in chunks on demand, then
 * new events. While it reads the log, nothing is kept in memory: recorded events are in the log, and the live
 * state is requested once the log has been read (`start`).
 */
class SessionPushQueue {
  readonly #sessions: SessionReader
  readonly #sessionId: string
  readonly #limits: PushLimits
  readonly #clock: Clock
  readonly #pending = new PendingEvents()
  /** The last `seq` sent to the client. */
  #cursor: number
  /** The last recorded `seq`. */
  #latest = 0
  /** Between two log reads: the part of the chunk not sent yet. */
  #chunk: RecordedEvent[] = []
  #logStep = 100
  #startDue = true
  /** Live events are dropped until a new `start` has been sent. */
  #liveSkipped = false
  #lagged = false
  #ended = false
  #failure: unknown
  #lastFlush = Number.NEGATIVE_INFINITY
  #wake: (() => void) | undefined
  #wakeOnEvent: (() => void) | undefined
  readonly #cleanups: (() => void)[] = []

  constructor(sessions: SessionReader, subscription: SessionSubscription) {
    this.#sessions = sessions
    this.#sessionId = subscription.sessionId
    this.#cursor = subscription.since
    this.#limits = { ...PUSH_LIMITS, ...subscription.limits }
    this.#clock = subscription.clock ?? systemClock
    // Read the header first: it throws for an unknown session before there is anything to clean up.
    this.#latest = sessions.header(subscription.sessionId).seq
    if (subscription.since > this.#latest) {
      throw new CodedError(
        'request.invalid',
        `since: ${subscription.since} is beyond the end of this session (${this.#latest})`,
      )
    }
    const { signal } = subscription
    signal?.throwIfAborted()
    const abort = (): void => this.end()
    signal?.addEventListener('abort', abort, { once: true })
    const stop = sessions.listen(
      subscription.sessionId,
      (event) => this.#onEvent(event),
      () => this.#onTaken(),
    )
    // Another process that ran the session may have recorded more events before it released it.
    this.#latest = Math.max(this.#latest, sessions.header(subscription.sessionId).seq)
    this.#cleanups.push(
      stop,
      () => signal?.removeEventListener('abort', abort),
      () => subscription.onEnd?.(),
    )
  }

  /** Ends the subscription, with a failure when the client needs the reason. Idempotent. */
  end(failure?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#failure = failure
    this.#pending.clear()
    this.#chunk = []
    this.#release()
    this.#wake?.()
  }

  async next(): Promise<IteratorResult<SessionPush, undefined>> {
    for (;;) {
      if (this.#ended) {
        const failure = this.#failure
        this.#failure = undefined
        if (failure !== undefined) throw failure
        return { done: true, value: undefined }
      }
      const push = this.#take()
      if (push) return { done: false, value: push }
      const wait = this.#pending.count === 0 ? undefined : this.#lastFlush + this.#limits.frameMs - this.#clock.now()
      await this.#sleep(wait)
    }
  }

  /** The next push that can be sent now. */
  #take(): SessionPush | undefined {
    if (this.#lagged) {
      this.end()
      return { type: 'lagged' }
    }
    if (this.#startDue) {
      this.#startDue = false
      // In the middle of a log, the live state would precede the events it belongs to; it follows once the log has been
      // read.
      this.#liveSkipped = this.#readsLog
      return this.#start(this.#liveSkipped ? [] : undefined)
    }
    if (this.#readsLog) return this.#takeFromLog()
    if (this.#liveSkipped && this.#pending.count === 0) {
      this.#liveSkipped = false
      return this.#start()
    }
    if (this.#pending.count === 0 || this.#clock.now() - this.#lastFlush < this.#limits.frameMs) return undefined
    const events = this.#pending.take(this.#limits.chunkEvents, this.#limits.chunkBytes)
    for (const event of events) if (isRecorded(event)) this.#cursor = event.seq
    // The rest of a large flush follows immediately: it belongs to the same frame.
    if (this.#pending.count === 0) this.#lastFlush = this.#clock.now()
    return { type: 'events', events }
  }

  /** Whether the log has recorded events that are neither sent nor pending. */
  get #readsLog(): boolean {
    return this.#cursor + this.#pending.recordedCount < this.#latest
  }

  #start(live?: LiveEvent[]): SessionPush {
    return {
      type: 'start',
      header: this.#sessions.header(this.#sessionId),
      live: live ?? this.#sessions.live(this.#sessionId),
    }
  }

  #takeFromLog(): SessionPush {
    if (this.#chunk.length === 0) {
      this.#chunk = this.#sessions.since(this.#sessionId, this.#cursor, this.#logStep)
      if (this.#chunk.length === 0)
        throw new CodedError('session.not_found', 'The rest of this session no longer exists.')
      // Sessions with images have large events: read fewer at a time.
      const bytes = this.#chunk.reduce((sum, event) => sum + estimateJsonBytes(event), 0)
      this.#logStep =
        bytes > this.#limits.chunkBytes
          ? Math.max(1, this.#logStep >> 2)
          : Math.min(this.#limits.chunkEvents, this.#logStep * 2)
    }
    let bytes = 0
    let end = 0
    for (const event of this.#chunk) {
      bytes += estimateJsonBytes(event)
      if (end > 0 && bytes > this.#limits.chunkBytes) break
      end += 1
    }
    const events = this.#chunk.splice(0, end)
    this.#cursor = events.at(-1)?.seq ?? this.#cursor
    return { type: 'events', events }
  }

  /** The engine's side: fast, never throws, never waits. */
  #onEvent(event: SessionEvent): void {
    if (this.#ended || this.#lagged) return
    if (isRecorded(event)) {
      if (event.seq <= this.#latest) return
      const inStep = !this.#startDue && !this.#readsLog && event.seq === this.#latest + 1
      this.#latest = event.seq
      if (inStep) this.#pending.add(event)
      else {
        // The log already has it and is read later.
        this.#pending.clear()
        this.#liveSkipped = !this.#startDue
      }
    } else {
      if (this.#startDue || this.#liveSkipped) return
      this.#pending.add(event)
    }
    this.#bound()
    this.#wakeOnEvent?.()
  }

  /** Another process ran the session until now: what it has recorded is in the log. */
  #onTaken(): void {
    if (this.#ended || this.#lagged) return
    this.#latest = Math.max(this.#latest, this.#sessions.header(this.#sessionId).seq)
    this.#wakeOnEvent?.()
  }

  #bound(): void {
    if (!this.#isFull()) return
    this.#pending.dropLive()
    this.#liveSkipped = true
    // A single event may exceed the bound; it does not count as backlog.
    if (!this.#isFull() || this.#pending.recordedCount === 1) return
    this.#lagged = true
    this.#pending.clear()
    this.#release()
    this.#wake?.()
  }

  #isFull(): boolean {
    return this.#pending.count > this.#limits.pendingEvents || this.#pending.bytes > this.#limits.pendingBytes
  }

  /**
   * Waits for an event or, with `ms`, for the end of the frame (new events only join it). Ends with the subscription.
   */
  #sleep(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        cancel?.()
        this.#wake = undefined
        this.#wakeOnEvent = undefined
        resolve()
      }
      const cancel = ms === undefined ? undefined : this.#clock.after(Math.max(0, ms), finish)
      this.#wake = finish
      if (ms === undefined) this.#wakeOnEvent = finish
    })
  }

  #release(): void {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
  }
}

/**
 * Subscribes to a session. Listens from the call until the iterator ends: by `return()`, by the signal, or after
 * `lagged`. Throws `session.not_found` for an unknown session and `request.invalid` when `since` is beyond its end.
 */
export function sessionPushes(
  sessions: SessionReader,
  subscription: SessionSubscription,
): { pushes: AsyncIteratorClass<SessionPush, undefined, void>; end(failure?: unknown): void } {
  const queue = new SessionPushQueue(sessions, subscription)
  const pushes = new AsyncIteratorClass<SessionPush, undefined, void>(
    () =>
      queue.next().catch((error: unknown) => {
        throw subscription.mapError?.(error) ?? error
      }),
    async () => queue.end(),
  )
  return { pushes, end: (failure) => queue.end(failure) }
}
