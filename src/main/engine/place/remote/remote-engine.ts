import { CodedError, failureOf, type Failure } from '../../../../shared/errors'
import type { PlaceState } from '../../../../shared/model/place/place'
import type { LaunchAsk, Launcher, PrepareOptions, Prepared } from '../launcher/launcher'
import { isReadOnly } from './read-only-methods'
import { LINK_LIMITS, lost, WireLink, type LinkLimits } from './wire-link'

/** All in ms. */
export interface RemoteTiming {
  /** First delay before a retry, and the limit for doubling it; jitter shortens each delay by up to half. */
  backoff: readonly [first: number, max: number]
  /** How long a connection must last to be opened again without a delay when it is lost. */
  stableAfter: number
  /** From the start of the program to its greeting. */
  greetingTimeout: number
  /** How long a call waits for a connection. */
  requestWait: number
  /** Silence after which a ping is sent, and further silence after which the connection counts as dead. */
  pingAfter: number
  deadAfter: number
}

export const REMOTE_TIMING: RemoteTiming = {
  backoff: [500, 30_000],
  stableAfter: 10_000,
  greetingTimeout: 60_000,
  requestWait: 10_000,
  pingAfter: 10_000,
  deadAfter: 15_000,
}

export interface RemoteState {
  state: PlaceState
  /** When the state began, ms since the epoch. */
  since: number
  failure?: Failure
  progress?: string
  version?: string
  staysRunning?: boolean
}

export interface RemoteEngineOptions {
  launcher: Launcher
  timing?: Partial<RemoteTiming>
  limits?: LinkLimits
  /** 0 to 1; for the jitter. */
  random?: () => number
  /** Called for each new connection, before anything that waits for it continues. */
  connected?(link: WireLink): void
  changed?(state: RemoteState): void
}

/** Failures that require the user to act: retrying could lock an account or disturb a machine. */
const FINAL = new Set([
  'place.refused',
  'place.host_key',
  'place.unsupported',
  'place.version',
  'place.misbehaved',
  'place.job_ended',
  'place.stopped',
  'place.setup',
])

/** A client of an engine elsewhere, over the wire protocol; stays connected as long as needed. */
export class RemoteEngine {
  readonly #options: RemoteEngineOptions
  readonly #timing: RemoteTiming
  #state: RemoteState = { state: 'idle', since: 0 }
  #link: WireLink | undefined
  #prepared: Prepared | undefined
  /** Whether it is kept connected. */
  #isWanted = false
  #attempt: { done: Promise<void>; abort: AbortController; isAutomatic: boolean } | undefined
  #retry: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  /** In a row, including connections that were lost soon. */
  #failures = 0
  #connectedAt = 0
  #lostAt = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: RemoteEngineOptions) {
    this.#options = options
    this.#timing = { ...REMOTE_TIMING, ...options.timing }
  }

  get state(): RemoteState {
    return this.#state
  }

  /** The current connection. */
  get link(): WireLink | undefined {
    return this.#link
  }

  /** Whether it is kept connected. */
  get isKeptConnected(): boolean {
    return this.#isWanted
  }

  /** From now on keeps it connected, in the background and without asking the user. */
  keepConnected(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    if (!this.#link && !this.#attempt) void this.#connect({ way: 'never' })
  }

  /** Connects now; `ask`: how the user can be asked. Rejects with the reason if that fails. */
  async connect(ask: LaunchAsk = { way: 'never' }): Promise<void> {
    this.#isWanted = true
    if (this.#link) return
    this.#failures = 0
    clearTimeout(this.#retry)
    // An attempt that cannot ask or start anything is replaced by one that can.
    if (this.#attempt && (ask.way !== 'never' || this.#attempt.isAutomatic)) {
      this.#attempt.abort.abort()
      await this.#attempt.done
    }
    await (this.#attempt?.done ?? this.#connect(ask, false))
    if (!this.#link) throw this.#failure()
  }

  /** Ends the connection until `keepConnected` or `connect` is called again. */
  async disconnect(): Promise<void> {
    this.#isWanted = false
    clearTimeout(this.#retry)
    this.#attempt?.abort.abort()
    await this.#attempt?.done
    this.#link?.close()
    this.#lostLink(this.#link, undefined)
    this.#set({ state: 'idle' })
  }

  /**
   * Calls a method there. A read-only call is made again if the connection is lost; others fail with `connection.lost`,
   * because their outcome is unknown.
   */
  async call(method: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const link = await this.ready(signal)
      try {
        return await link.call(method, input, signal)
      } catch (error) {
        const isLost = error instanceof CodedError && error.code === 'connection.lost'
        if (!isLost || attempt === 3 || !isReadOnly(method)) throw error
      }
    }
  }

  /** Resolves with the connection once it is open. Rejects with the reason it isn't, immediately if that is known. */
  async ready(signal?: AbortSignal): Promise<WireLink> {
    this.keepConnected()
    const until = performance.now() + this.#timing.requestWait
    for (;;) {
      signal?.throwIfAborted()
      if (this.#link) return this.#link
      if (this.#state.state === 'unreachable') throw this.#failure()
      const left = until - performance.now()
      if (left <= 0) throw this.#failure()
      await this.#nextChange(left, signal)
    }
  }

  /** Resolves at the next change of the state, or after `ms`. */
  #nextChange(ms: number | undefined, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(finish)
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = ms === undefined ? undefined : setTimeout(finish, ms)
      this.#waiting.add(finish)
      signal?.addEventListener('abort', finish, { once: true })
    })
  }

  /**
   * Resolves once it is connected, however long that takes. Rejects only on an abort, or when connecting is given up.
   * `requests`: whether this connects it; otherwise, it waits while the user has disconnected it.
   */
  async reconnected(signal?: AbortSignal, requests = true): Promise<WireLink> {
    if (requests) this.keepConnected()
    for (;;) {
      signal?.throwIfAborted()
      if (this.#link) return this.#link
      if ((requests && !this.#isWanted) || this.#isFinal()) throw this.#failure()
      await this.#nextChange(undefined, signal)
    }
  }

  /** Resolves with the current or the next connection, without connecting it. Rejects only on an abort. */
  async nextLink(signal?: AbortSignal): Promise<WireLink> {
    for (;;) {
      signal?.throwIfAborted()
      if (this.#link) return this.#link
      await this.#nextChange(undefined, signal)
    }
  }

  #isFinal(): boolean {
    return this.#state.state === 'unreachable' && FINAL.has(this.#state.failure?.code ?? '')
  }

  #failure(): CodedError {
    const { failure, since, state, progress } = this.#state
    if (state === 'waiting') return new CodedError('place.waiting', `${progress ?? 'The job is waiting'}.`)
    if (!failure) return new CodedError('place.unreachable', 'It is not connected yet.')
    const at = state === 'unreachable' && since > 0 ? ` Unreachable since ${new Date(since).toISOString()}.` : ''
    return new CodedError(failure.code, `${failure.message}${at}`)
  }

  #connect(ask: LaunchAsk, isAutomatic = true): Promise<void> {
    clearTimeout(this.#retry)
    const abort = new AbortController()
    const done = this.#try(ask, isAutomatic, abort.signal).finally(() => {
      if (this.#attempt?.abort === abort) this.#attempt = undefined
    })
    this.#attempt = { done, abort, isAutomatic }
    return done
  }

  async #try(ask: LaunchAsk, isAutomatic: boolean, signal: AbortSignal): Promise<void> {
    if (this.#state.state !== 'unreachable' || !isAutomatic)
      this.#set({ state: 'connecting', ...(this.#lostAt > 0 && { since: this.#lostAt }) })
    const given: PrepareOptions = {
      ask,
      signal,
      isAutomatic,
      progress: (progress) => this.#set({ ...this.#state, progress, ...(isJob(progress) && { state: 'waiting' }) }),
    }
    let link: WireLink | undefined
    try {
      const { launcher } = this.#options
      this.#prepared ??= await launcher.prepare(given)
      const channel = await launcher.open(this.#prepared, given)
      link = new WireLink(channel, (...ended) => launcher.explain(...ended), {
        limits: this.#options.limits ?? LINK_LIMITS,
      })
      // It may have been opened although the attempt has been replaced or ended.
      signal.throwIfAborted()
      const abort = (): void => link?.close()
      signal.addEventListener('abort', abort, { once: true })
      const { version } = await withTimeout(link, this.#timing.greetingTimeout)
      signal.removeEventListener('abort', abort)
      signal.throwIfAborted()
      this.#greeted(link, version)
    } catch (error) {
      link?.close()
      // Prepare again next time: the copy there may have been removed.
      this.#prepared = undefined
      if (signal.aborted) return
      this.#failed(error)
    }
  }

  #greeted(link: WireLink, version: string): void {
    this.#link = link
    this.#connectedAt = performance.now()
    this.#lostAt = 0
    void link.ended.then((reason) => this.#lostLink(link, reason))
    this.#options.connected?.(link)
    this.#set({ state: 'connected', version, staysRunning: this.#prepared?.attaches === true })
    this.#watchSilence(link)
  }

  #lostLink(link: WireLink | undefined, reason: Error | undefined): void {
    if (!link || this.#link !== link) return
    this.#link = undefined
    clearTimeout(this.#watch)
    this.#lostAt = Date.now()
    if (!this.#isWanted) return
    if (reason instanceof CodedError && FINAL.has(reason.code)) return this.#failed(reason)
    this.#set({ state: 'connecting', since: this.#lostAt })
    // An engine that crashes soon after each start would otherwise be started again and again without a pause.
    if (performance.now() - this.#connectedAt < this.#timing.stableAfter) return this.#retryLater()
    this.#failures = 0
    void this.#connect({ way: 'never' })
  }

  #failed(error: unknown): void {
    const failure = error instanceof CodedError ? error.failure : failureOf(error)
    const since = this.#state.state === 'unreachable' ? this.#state.since : this.#lostAt || Date.now()
    this.#set({ state: 'unreachable', since, failure })
    if (this.#isWanted && !FINAL.has(failure.code)) this.#retryLater()
  }

  #retryLater(): void {
    this.#failures += 1
    const [first, max] = this.#timing.backoff
    const delay = Math.min(max, first * 2 ** (this.#failures - 1)) * (1 - (this.#options.random ?? Math.random)() / 2)
    this.#retry = setTimeout(() => {
      if (this.#isWanted && !this.#link && !this.#attempt) void this.#connect({ way: 'never' })
    }, delay)
  }

  /** A connection can be dead without an error: a machine asleep, a network that drops everything. */
  #watchSilence(link: WireLink): void {
    const { pingAfter, deadAfter } = this.#timing
    clearTimeout(this.#watch)
    const silentFor = performance.now() - link.lastLineAt
    this.#watch = setTimeout(
      () => {
        if (performance.now() - link.lastLineAt < pingAfter) return this.#watchSilence(link)
        const askedAt = performance.now()
        link.call('session.list', { limit: 1 }).catch(() => undefined)
        this.#watch = setTimeout(() => {
          if (link.lastLineAt >= askedAt) return this.#watchSilence(link)
          link.close(lost())
          // The shared connection would be dead for the next one, too.
          void this.#options.launcher.reset?.()
        }, deadAfter)
      },
      Math.max(0, pingAfter - silentFor),
    )
  }

  #set(change: Omit<RemoteState, 'since'> & { since?: number }): void {
    const since = change.since ?? (change.state === this.#state.state ? this.#state.since : Date.now())
    this.#state = { ...change, since }
    for (const wake of this.#waiting) wake()
    this.#options.changed?.(this.#state)
  }
}

/** Whether a launcher reports a queued job or pod rather than a copy. */
function isJob(progress: string): boolean {
  return /^(?:Job \d+|Pod \S+) /.test(progress)
}

async function withTimeout(link: WireLink, ms: number): Promise<{ version: string }> {
  const timer = setTimeout(
    () => link.close(new CodedError('place.unreachable', `It did not greet within ${Math.round(ms / 1000)} seconds.`)),
    ms,
  )
  try {
    return await link.hello
  } finally {
    clearTimeout(timer)
  }
}
