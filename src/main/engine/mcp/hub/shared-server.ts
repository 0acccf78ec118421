import { CodedError, failureOf } from '../../../../shared/errors'
import {
  type CallInFlight,
  type Connection,
  type KnownServer,
  isStaleConnection,
  isSignInRequired,
} from '../protocol/connection'
import { openConnection } from '../protocol/open-connection'
import { ReconnectBackoff, unlessAborted, IdleTimer } from './server-lifecycle'
import { type Listing, LiveListing } from './server-listing'
import { ServerLog } from '../protocol/server-log'
import type { SharedServerDeps, StartPlan } from './start-plan'

export type SharedState = 'idle' | 'starting' | 'ready' | 'reconnecting' | 'failed' | 'sign_in'

/** Maximum number of automatic reconnects; after that, the next use reconnects. */
const MAX_RECONNECTS = 5
/** How long a call waits for the next attempt; beyond it, the call fails immediately and reports when that is. */
const MAX_RETRY_WAIT_MS = 2_000
/** A connection unused for this long is pinged before use. */
const CHECK_ALIVE_AFTER_MS = 60_000
const PING_MS = 5_000
/** A server that was up for this long resets its failure count. */
const STABLE_AFTER_MS = 60_000
/** The process's wording for a clean exit. */
const CLEAN_EXIT = 'it exited with code 0'

/**
 * One definition of a server, with at most one process or connection for all sessions of the app. It starts on first
 * use, reconnects when lost, and stops after being unused for a while.
 */
export class SharedServer {
  readonly key: string
  readonly log = new ServerLog()
  /** Sessions that have used it since it started. */
  readonly users = new Set<string>()
  readonly calls = new Set<CallInFlight>()
  readonly #deps: SharedServerDeps
  #state: SharedState = 'idle'
  #error: { message: string; stderr: string } | undefined
  readonly #lists: LiveListing
  readonly #uses: IdleTimer
  readonly #failures: ReconnectBackoff
  #connection: Connection | undefined
  #starting: Promise<Connection> | undefined
  #plan: StartPlan | undefined
  #stop = new AbortController()
  #stopping: Promise<void> | undefined
  #aliveCheck: Promise<void> | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #startedAt = 0
  /** The same time on the monotonic clock. */
  #upSince = 0
  #isTried = false
  readonly #known: KnownServer = {}

  constructor(key: string, deps: SharedServerDeps) {
    this.key = key
    this.#deps = deps
    this.#failures = new ReconnectBackoff(deps.random)
    this.#uses = new IdleTimer(deps.idleMs, () => {
      if (this.#connection || this.#retryTimer) void this.stop('It was idle.')
    })
    this.#lists = new LiveListing({
      key,
      cache: deps.cache,
      log: this.log,
      changed: deps.changed,
      failed: (message) => {
        this.log.add({ from: 'connection', level: 'error', text: message })
        this.#error = { message, stderr: this.log.stderrTail(this.#startedAt) }
        deps.changed()
      },
    })
  }

  get state(): SharedState {
    return this.#state
  }

  get error(): { message: string; stderr: string } | undefined {
    return this.#error
  }

  get pid(): number | undefined {
    return this.#connection?.pid
  }

  /** The sandbox of its process; undefined when it has no process. */
  get sandbox(): Connection['sandbox'] {
    return this.#connection?.sandbox
  }

  /** Known from the last connection of this or an earlier process. */
  get listing(): Listing | undefined {
    return this.#lists.listing
  }

  get isBusy(): boolean {
    return this.#uses.isBusy
  }

  /** Whether a start was attempted in this process. */
  get wasStarted(): boolean {
    return this.#isTried
  }

  /** Reads the listing cached by an earlier connection, once. */
  load(): Promise<void> {
    return this.#lists.load()
  }

  /**
   * Runs `run` with a connection, opened if necessary; retries once with a new one when the server did not accept the
   * request. `signal` ends only the wait, not the start itself, because other callers may be waiting for it.
   */
  async use<Result>(
    plan: StartPlan,
    sessionId: string | undefined,
    signal: AbortSignal | undefined,
    run: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    if (sessionId !== undefined && !this.users.has(sessionId)) {
      this.users.add(sessionId)
      this.#deps.joined()
    }
    return this.#uses.track(async (restedMs) => {
      const connection = await this.#connected(plan, signal, restedMs > CHECK_ALIVE_AFTER_MS)
      try {
        return await run(connection)
      } catch (error) {
        if (signal?.aborted || !(await isStaleConnection(connection, error))) throw error
        return await run(await this.#replace(plan, connection, signal))
      }
    })
  }

  /** Connects to find out what the server offers. */
  async discover(plan: StartPlan, sessionId?: string): Promise<Listing> {
    return this.use(plan, sessionId, undefined, async () => {
      await this.#lists.settled()
      if (!this.listing) throw new CodedError('mcp.answer', this.#error?.message ?? 'It did not say what it offers.')
      return this.listing
    })
  }

  /** See `Ask.openPages`. */
  async openPages(connection: Connection, call: CallInFlight, error: unknown): Promise<boolean | undefined> {
    const { openPages } = await this.#deps.hooks()
    return openPages(connection.served, call, error)
  }

  /**
   * Resolves when the listing of this connection has arrived or failed. `again`: requests it again first, because the
   * server rejected a call that matches the current listing.
   */
  listingReady(connection: Connection, again = false): Promise<void> {
    return again ? this.#lists.refresh(connection) : this.#lists.settled()
  }

  /** Call after a successful call: resets the failure count. */
  succeeded(): void {
    this.#failures.reset()
  }

  /**
   * Call after a call timed out: if the server does not even answer a ping, it is stopped and restarted on the next
   * use, which waits for this.
   */
  checkAlive(connection: Connection): Promise<void> {
    this.#aliveCheck ??= this.#stopIfDead(connection).finally(() => (this.#aliveCheck = undefined))
    return this.#aliveCheck
  }

  async #stopIfDead(connection: Connection): Promise<void> {
    if ((await connection.ping(PING_MS)) || this.#connection !== connection) return
    this.#connection = undefined
    this.#fail('It stopped answering, and was ended.')
    await connection.close()
  }

  leave(sessionId: string): void {
    if (!this.users.delete(sessionId)) return
    if (this.users.size === 0 && !this.isBusy) void this.stop('No session uses it now.')
    else this.#deps.changed()
  }

  /** Ends the process or connection. The next use starts it again. */
  stop(why: string): Promise<void> {
    clearTimeout(this.#retryTimer)
    this.#uses.stop()
    this.#lists.stop()
    this.#stop.abort(new Error(why))
    this.#stop = new AbortController()
    const [connection, starting] = [this.#connection, this.#starting]
    this.#connection = undefined
    this.#starting = undefined
    if (connection || starting) this.log.add({ from: 'connection', level: 'info', text: `Stopped: ${why}` })
    this.#error = undefined
    this.#failures.reset()
    this.users.clear()
    this.#set('idle')
    const ended = Promise.all([this.#stopping, connection?.close(), starting?.catch(() => undefined)]).then(
      () => undefined,
    )
    this.#stopping = ended
    return ended
  }

  async #connected(plan: StartPlan, signal: AbortSignal | undefined, isDoubtful = false): Promise<Connection> {
    this.#plan = plan
    if (this.#aliveCheck) await unlessAborted(this.#aliveCheck, signal)
    const known = this.#connection
    if (known?.isOpen) {
      this.#lists.refreshIfStale(known)
      if (!isDoubtful) return known
      await unlessAborted(this.checkAlive(known), signal)
      if (this.#connection === known && known.isOpen) return known
    }
    clearTimeout(this.#retryTimer)
    return unlessAborted(this.#starting ?? this.#begin(plan), signal)
  }

  /** Replaces a stale connection with a new one. */
  async #replace(plan: StartPlan, old: Connection, signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#connection === old) {
      this.#connection = undefined
      this.log.add({
        from: 'connection',
        level: 'warning',
        text: 'The server no longer knows this connection; connecting again.',
      })
      await old.close()
    }
    return this.#connected(plan, signal)
  }

  #begin(plan: StartPlan): Promise<Connection> {
    const starting: Promise<Connection> = this.#start(plan).finally(() => {
      if (this.#starting === starting) this.#starting = undefined
    })
    this.#starting = starting
    return starting
  }

  async #start(plan: StartPlan): Promise<Connection> {
    const { signal } = this.#stop
    await this.#stopping
    await this.#deps.ready?.()
    const wait = this.#failures.waitMs
    if (wait > MAX_RETRY_WAIT_MS) {
      const after = `It is tried again in ${Math.ceil(wait / 1000)} s.`
      throw new CodedError(
        'mcp.start',
        `It failed ${this.#failures.count} times in a row, the last time so: ${this.#error?.message ?? ''} ${after}`,
      )
    }
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    if (signal.aborted) throw signal.reason
    this.#isTried = true
    this.#startedAt = Date.now()
    this.#upSince = performance.now()
    if (this.#state !== 'reconnecting') this.#set('starting')
    const version = this.#known.version ?? this.listing?.info.protocolVersion
    if (version !== undefined) this.#known.version = version
    try {
      const connection = await openConnection({
        known: this.#known,
        definition: plan.definition(),
        sandbox: plan.sandbox,
        home: this.#deps.home,
        version: this.#deps.version,
        hooks: await this.#deps.hooks(),
        cwd: plan.cwd,
        env: this.#deps.env,
        log: (line) => this.log.add(line),
        served: { name: plan.name, sessions: () => [...this.users], calls: () => [...this.calls] },
        signal,
      })
      if (signal.aborted) {
        await connection.close()
        throw signal.reason
      }
      this.#opened(connection)
      return connection
    } catch (error) {
      if (!signal.aborted) this.#fail(failureOf(error).message, isSignInFailure(error) ? 'sign_in' : 'failed')
      throw error
    }
  }

  #opened(connection: Connection): void {
    this.#connection = connection
    this.#error = undefined
    const { name, version, protocolVersion } = connection.info
    this.log.add({
      from: 'connection',
      level: 'info',
      text: `Connected to ${name} ${version}, protocol ${protocolVersion}.`,
    })
    void connection.lost.then((why) => this.#lost(connection, why))
    this.#set('ready')
    this.#lists.watch(connection)
  }

  #lost(connection: Connection, why: string): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    void connection.close()
    // Some servers exit when they have nothing to do.
    if (why === CLEAN_EXIT && !this.isBusy) {
      this.log.add({ from: 'connection', level: 'info', text: 'It exited normally.' })
      return this.#set('idle')
    }
    // Failures from long ago are irrelevant now.
    if (performance.now() - this.#upSince > STABLE_AFTER_MS) this.#failures.reset()
    this.#fail(`The connection was lost: ${why}.`)
  }

  /** Records a failure, and retries automatically while sessions use the server. */
  #fail(message: string, state: 'failed' | 'sign_in' = 'failed'): void {
    this.#failures.recordFailure(state === 'sign_in')
    this.#error = { message, stderr: this.log.stderrTail(this.#startedAt) }
    this.log.add({ from: 'connection', level: 'error', text: message })
    const plan = this.#plan
    // A server that never came up is not retried automatically: the user has to fix it first.
    const wasUp = this.#state === 'ready' || this.#state === 'reconnecting'
    const willRetry =
      wasUp && state === 'failed' && this.users.size > 0 && plan !== undefined && this.#failures.count <= MAX_RECONNECTS
    this.#set(willRetry ? 'reconnecting' : state)
    if (!willRetry) return
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => {
      this.#failures.retryNow()
      void this.use(plan, undefined, undefined, async () => undefined).catch(() => undefined)
    }, this.#failures.waitMs)
    this.#retryTimer.unref()
  }

  #set(state: SharedState): void {
    this.#state = state
    this.#deps.changed()
  }
}

function isSignInFailure(error: unknown): boolean {
  return (error instanceof CodedError && error.code === 'mcp.sign_in') || isSignInRequired(error)
}
