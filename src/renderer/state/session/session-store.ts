import { createStore, type StoreApi } from 'zustand/vanilla'
import type { TrestleClient } from '../../../shared/contract'
import { isRecorded, type SessionEvent } from '../../../shared/events/event'
import type { Failure } from '../../../shared/errors'
import type { SessionPush } from '../../../shared/events/push'
import {
  applyEvents,
  leavesGap,
  prependWindow,
  restartedView,
  initialView,
  type SessionView,
} from '../../../shared/events/session-view'
import { failureFrom } from '../../client/failure-from'

/** The state of one session in this window. */
export interface SessionState {
  status: 'loading' | 'ready' | 'failed'
  failure?: Failure
  view?: SessionView
  /** When the engine last reported anything about this session, on this machine's clock (ms). */
  aliveAt: number
  loadingOlder: boolean
}

/** Follows a session from `since` on, across disconnects; `onFailure`: ended permanently. Returns the stop function. */
export type Subscribe = (
  sessionId: string,
  since: number,
  onPush: (push: SessionPush) => void,
  onFailure: (failure: Failure) => void,
) => () => void

export interface SessionStoreDeps {
  client: Pick<TrestleClient, 'session'>
  subscribe: Subscribe
  /** Calls back at the next frame; returns the cancel function. */
  onFrame(callback: () => void): () => void
  now(): number
}

/** Events of the first window: enough to fill a tall screen, few enough to load at once. */
const FIRST_WINDOW = 400
const OLDER_WINDOW = 400
/** This many events behind, reading the newest window again is cheaper than folding everything that was missed. */
const FAR_BEHIND = 2000

/** One session's state, kept up to date while it is followed. Pushes are folded in once per frame. */
export class SessionStore {
  readonly store: StoreApi<SessionState>
  readonly #sessionId: string
  readonly #deps: SessionStoreDeps
  #stop: (() => void) | undefined
  #followers = 0
  #pending: SessionEvent[] = []
  #older: Parameters<typeof prependWindow> extends [SessionView, ...infer Rest] ? Rest | undefined : never
  #cancelFrame: (() => void) | undefined
  /** Number of the current load: results of earlier loads are ignored. */
  #opening = 0

  constructor(sessionId: string, deps: SessionStoreDeps) {
    this.#sessionId = sessionId
    this.#deps = deps
    this.store = createStore<SessionState>(() => ({ status: 'loading', aliveAt: deps.now(), loadingOlder: false }))
  }

  get followed(): boolean {
    return this.#followers > 0
  }

  /** Keeps the state up to date until the returned function is called. */
  follow(): () => void {
    this.#followers += 1
    if (this.#followers === 1) {
      const { view } = this.store.getState()
      if (view) this.#subscribe(view.header.seq)
      else void this.open()
    }
    let following = true
    return () => {
      if (!following) return
      following = false
      this.#followers -= 1
      if (this.#followers === 0) this.#unsubscribe()
    }
  }

  /** Reads the latest window of the session; also retries after a failure. */
  async open(): Promise<void> {
    this.#unsubscribe()
    const opening = ++this.#opening
    if (this.store.getState().status === 'failed') this.store.setState({ status: 'loading', failure: undefined })
    try {
      const { header, events, hasMore } = await this.#deps.client.session.open({
        sessionId: this.#sessionId,
        limit: FIRST_WINDOW,
      })
      if (opening !== this.#opening) return
      this.#pending = []
      this.#older = undefined
      this.store.setState({
        status: 'ready',
        failure: undefined,
        view: initialView(header, events, hasMore),
        aliveAt: this.#deps.now(),
        loadingOlder: false,
      })
      if (this.followed) this.#subscribe(header.seq)
    } catch (error) {
      if (opening !== this.#opening) return
      this.store.setState({ status: 'failed', failure: failureFrom(error) })
    }
  }

  /** Reads the next older window. Does nothing while one is loading or when all events are loaded. */
  async loadOlder(): Promise<void> {
    const { view, loadingOlder } = this.store.getState()
    if (!view?.hasMore || loadingOlder) return
    const opening = this.#opening
    this.store.setState({ loadingOlder: true })
    try {
      const { events, hasMore } = await this.#deps.client.session.window({
        sessionId: this.#sessionId,
        before: view.firstSeq,
        limit: OLDER_WINDOW,
      })
      if (opening !== this.#opening) return
      this.#older = [events, hasMore]
      this.#schedule()
    } catch {
      // The connection state already shows the disconnect; scrolling up retries.
      if (opening === this.#opening) this.store.setState({ loadingOlder: false })
    }
  }

  #subscribe(since: number): void {
    this.#unsubscribe()
    const opening = this.#opening
    const current = (): boolean => opening === this.#opening && this.#stop === stop
    const stop = this.#deps.subscribe(
      this.#sessionId,
      since,
      (push) => {
        if (current()) this.#take(push)
      },
      (failure) => {
        if (current()) this.store.setState({ status: 'failed', failure })
      },
    )
    this.#stop = stop
  }

  #unsubscribe(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#flush()
  }

  #take(push: SessionPush): void {
    // The subscription restarts automatically; its next push is a `start`.
    if (push.type === 'lagged') return
    if (push.type === 'start') {
      this.#flush()
      const { view } = this.store.getState()
      if (!view) return
      const behind = push.header.seq - view.header.seq
      // A log shorter than the one shown is a different log: a restored backup, for example.
      if (behind > FAR_BEHIND || behind < 0) return void this.open()
      this.store.setState({ view: restartedView(view, push.header.seq, push.live), aliveAt: this.#deps.now() })
      return
    }
    this.#pending.push(...push.events)
    this.#schedule()
  }

  #schedule(): void {
    this.#cancelFrame ??= this.#deps.onFrame(() => {
      this.#cancelFrame = undefined
      // Older items are published separately, so that the scroll owner can tell them from new ones.
      if (!this.#prepend()) this.#fold()
      if (this.#pending.length > 0) this.#schedule()
    })
  }

  #flush(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    this.#prepend()
    this.#fold()
  }

  #prepend(): boolean {
    const older = this.#older
    const { view } = this.store.getState()
    this.#older = undefined
    if (!older || !view) return false
    this.store.setState({ view: prependWindow(view, ...older), loadingOlder: false })
    return true
  }

  #fold(): void {
    const events = this.#pending
    const { view } = this.store.getState()
    this.#pending = []
    if (!view || events.length === 0) return
    const next = events.find(isRecorded)
    if (next && leavesGap(view, next)) {
      // Cannot happen while both sides follow the contract; if it does, read the log again.
      this.#subscribe(view.header.seq)
      return
    }
    // Do not trim items that may be on screen.
    if (events.some((event) => event.type === 'checkpoint.restored' && event.conversation)) return void this.open()
    this.store.setState({ view: applyEvents(view, events), aliveAt: this.#deps.now() })
  }
}
