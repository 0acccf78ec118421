import { type Transport, type Connection, type OpenTransport, ConnectionStateStore } from './connection'
import { RpcLink } from './rpc-link'
import { PageError } from './failure-from'

export interface ConnectOptions {
  /**
   * Registers for events after which retrying immediately makes sense (back online, window visible again); returns the
   * unregister function.
   */
  onWake?: (wake: () => void) => () => void
  timing?: Partial<ConnectTiming>
  /** 0 to 1; for the jitter. */
  random?: () => number
}

/** All in ms. */
export interface ConnectTiming {
  /** First retry delay, and the maximum it doubles up to; jitter shortens each delay by up to half. */
  backoff: readonly [first: number, most: number]
  /** Timeout for a transport to become ready. */
  openTimeout: number
  /** How long a request waits for a connection. */
  requestWait: number
  /** Silence after which a heartbeat is requested, and further silence after which the connection counts as lost. */
  pingAfter: number
  deadAfter: number
  /** Silence after a request until the engine counts as unresponsive; halfway a heartbeat is requested. */
  silentAfter: number
}

export const CONNECT_TIMING: ConnectTiming = {
  backoff: [250, 10_000],
  openTimeout: 10_000,
  requestWait: 10_000,
  pingAfter: 10_000,
  deadAfter: 10_000,
  silentAfter: 2000,
}

/** Keeps a connection to the engine open until closed: opens transports, detects broken ones, and reconnects. */
export function connect(openTransport: OpenTransport, options: ConnectOptions = {}): Connection {
  return new KeptConnection(openTransport, options)
}

class KeptConnection implements Connection {
  readonly state = new ConnectionStateStore()
  readonly #link: RpcLink
  readonly #openTransport: OpenTransport
  readonly #timing: ConnectTiming
  readonly #random: () => number
  readonly #stopWaking: () => void
  #transport: Transport | undefined
  /** The one pending timer: the next attempt, readiness, or a heartbeat. */
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Number of the current transport; events of earlier ones are ignored. */
  #generation = 0
  /** When the latest request was sent. */
  #requestedAt = 0
  /** Set while a request is waiting for the first activity after it. */
  #unanswered: ReturnType<typeof setTimeout> | undefined
  #lastMessageAt = 0
  #isClosed = false

  constructor(openTransport: OpenTransport, options: ConnectOptions) {
    this.#openTransport = openTransport
    this.#timing = { ...CONNECT_TIMING, ...options.timing }
    this.#random = options.random ?? Math.random
    this.#link = new RpcLink(this.#timing.requestWait)
    this.#stopWaking = options.onWake?.(() => this.#wake()) ?? (() => {})
    this.#attempt()
  }

  get client(): Connection['client'] {
    return this.#link.client
  }

  reconnectNow(): void {
    if (this.#isClosed || this.state.get().status === 'open') return
    const transport = this.#transport
    this.#transport = undefined
    transport?.close()
    this.#attempt()
  }

  close(): void {
    if (this.#isClosed) return
    this.#finish(new PageError('connection.lost', 'The connection was closed.'))
  }

  #attempt(): void {
    const generation = (this.#generation += 1)
    /** Whether an event comes from the current transport; events of earlier ones are ignored. */
    const isCurrent = (): boolean => generation === this.#generation
    this.#wait(this.#timing.openTimeout, () => this.#lose())
    this.state.set({ attempt: this.state.get().attempt + 1 })
    const transport: Transport = this.#openTransport({
      ready: () => {
        if (isCurrent()) this.#ready(transport)
      },
      message: (message) => {
        if (!isCurrent()) return
        this.#sign()
        this.#link.receive(message)
      },
      heartbeat: () => {
        if (isCurrent()) this.#sign()
      },
      closed: (refused) => {
        if (!isCurrent()) return
        if (refused)
          this.#finish(
            new PageError('connection.refused', 'The token of this page does not match the running Trestle.'),
          )
        else this.#lose()
      },
    })
    this.#transport = transport
  }

  #ready(transport: Transport): void {
    this.#lastMessageAt = performance.now()
    this.#link.attach((message) => {
      transport.send(message)
      this.#expectActivity(transport)
    })
    this.state.set({ status: 'open', attempt: 0, lastMessageAt: Date.now(), responds: true })
    clearTimeout(this.#timer)
    this.#watchSilence()
  }

  #sign(): void {
    this.#lastMessageAt = performance.now()
    this.state.heartbeat(Date.now())
    if (!this.state.get().responds) this.state.set({ responds: true })
  }

  /** After a request: a hung program keeps its sockets open but sends nothing. */
  #expectActivity(transport: Transport): void {
    this.#requestedAt = performance.now()
    if (transport.ping && this.#unanswered === undefined) this.#watchRequest(transport, this.#requestedAt)
  }

  #watchRequest(transport: Transport, sentAt: number): void {
    const step = this.#timing.silentAfter / 2
    const unlessActive =
      (then: () => void): (() => void) =>
      () => {
        this.#unanswered = undefined
        if (this.#lastMessageAt < sentAt) then()
        // This request was answered; one sent in the meantime may not be.
        else if (this.#lastMessageAt < this.#requestedAt) this.#watchRequest(transport, this.#requestedAt)
      }
    const reportSilence = unlessActive(() => this.state.set({ responds: false }))
    const requestHeartbeat = unlessActive(() => {
      transport.ping?.()
      this.#unanswered = setTimeout(reportSilence, step)
    })
    this.#unanswered = setTimeout(requestHeartbeat, step)
  }

  /**
   * Waits for silence, requests a heartbeat, waits again. Timers can be late (a sleeping machine, a hidden tab), so
   * silence counts only after a heartbeat was requested.
   */
  #watchSilence(): void {
    const transport = this.#transport
    if (!transport?.ping) return
    const silentFor = performance.now() - this.#lastMessageAt
    this.#wait(Math.max(0, this.#timing.pingAfter - silentFor), () => {
      if (performance.now() - this.#lastMessageAt < this.#timing.pingAfter) this.#watchSilence()
      else this.#requestHeartbeat(transport)
    })
  }

  #requestHeartbeat(transport: Transport): void {
    const askedAt = performance.now()
    transport.ping?.()
    this.#wait(this.#timing.deadAfter, () => {
      if (this.#lastMessageAt >= askedAt) this.#watchSilence()
      else this.#lose()
    })
  }

  #lose(): void {
    this.#drop()
    this.#link.detach()
    const { attempt, lastMessageAt: lastSignAt } = this.state.get()
    this.state.set({ status: lastSignAt === 0 && attempt <= 1 ? 'connecting' : 'lost', responds: true })
    const [first, most] = this.#timing.backoff
    const delay = Math.min(most, first * 2 ** Math.max(0, attempt - 1)) * (1 - this.#random() / 2)
    this.#wait(delay, () => this.#attempt())
  }

  /** Closes the current transport, if any; its later events are ignored. */
  #drop(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#unanswered)
    this.#unanswered = undefined
    this.#generation += 1
    const transport = this.#transport
    this.#transport = undefined
    transport?.close()
  }

  #wake(): void {
    if (this.#isClosed) return
    if (this.#transport && this.state.get().status === 'open') this.#requestHeartbeat(this.#transport)
    else if (!this.#transport) this.#attempt()
  }

  #finish(reason: PageError): void {
    this.#isClosed = true
    this.#drop()
    this.#stopWaking()
    this.#link.giveUp(reason)
    this.state.set({ status: 'lost', failure: reason.failure })
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
  }
}
