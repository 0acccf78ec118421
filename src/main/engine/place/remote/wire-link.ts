import { WIRE_PROTOCOL, type WireId } from '../../../../shared/contract/stdio-wire'
import { CodedError, ERRORS, type Failure } from '../../../../shared/errors'
import type { Channel, ChannelEnd } from '../launcher/launcher'
import { PushBuffer } from './push-buffer'
import { plainLine } from './plain-text'

/** Limits on what one connection to an engine elsewhere can do to this process. */
export interface LinkLimits {
  /** Longest line, in bytes. */
  lineBytes: number
  /** Maximum bytes before the greeting, for messages of a login shell. */
  greetingBytes: number
  /** Maximum bytes and lines per second on average; beyond that, reading pauses. */
  bytesPerSecond: number
  linesPerSecond: number
  /** Maximum number of answers to calls that were never made. */
  strayLines: number
  /** Maximum bytes of pushes that wait for a slow subscriber. */
  pushBytes: number
}

export const LINK_LIMITS: LinkLimits = {
  lineBytes: 32 << 20,
  greetingBytes: 64 << 10,
  bytesPerSecond: 64 << 20,
  linesPerSecond: 20_000,
  strayLines: 100,
  pushBytes: 16 << 20,
}

export interface LinkHello {
  protocol: number
  version: string
  mostLineBytes: number
}

interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** One connection that speaks the wire protocol; it ends once and is not reused. */
export class WireLink {
  /** Resolves with the greeting; rejects if the connection ends before it. */
  readonly hello: Promise<LinkHello>
  /** Resolves with the reason once the connection has ended. */
  readonly ended: Promise<Error>
  /** When the latest line arrived, as `now()`. */
  lastLineAt: number
  readonly #channel: Channel
  readonly #limits: LinkLimits
  readonly #now: () => number
  readonly #calls = new Map<WireId, PendingCall>()
  readonly #subscriptions = new Map<WireId, PushBuffer>()
  /** Calls cancelled here that have not ended there yet; further messages about them are ignored. */
  readonly #cancelled = new Set<WireId>()
  #nextId = 1
  #maxSent = Number.POSITIVE_INFINITY
  #stray = 0
  #greeted: ((hello: LinkHello) => void) | undefined
  #failed: (error: Error) => void = () => {}
  #end: (reason: Error) => void = () => {}
  #reason: Error | undefined

  constructor(
    channel: Channel,
    explain: (channel: Channel, end: ChannelEnd) => Error,
    { limits = LINK_LIMITS, now = () => performance.now() }: { limits?: LinkLimits; now?: () => number } = {},
  ) {
    this.#channel = channel
    this.#limits = limits
    this.#now = now
    this.lastLineAt = now()
    this.hello = new Promise((resolve, reject) => {
      this.#greeted = resolve
      this.#failed = reject
    })
    this.hello.catch(() => undefined)
    this.ended = new Promise((resolve) => (this.#end = resolve))
    void this.#read().catch((error: unknown) => this.close(error instanceof Error ? error : new Error(String(error))))
    void channel.ended.then((end) => this.close(explain(channel, end)))
  }

  /** Why it ended; undefined while it is open. */
  get reason(): Error | undefined {
    return this.#reason
  }

  /** Calls a method. Rejects with its failure, or with `connection.lost`. */
  call(method: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(new CodedError('request.cancelled', 'It was cancelled.'))
    return new Promise((resolve, reject) => {
      const id = this.#nextId++
      const abort = (): void => {
        this.#calls.delete(id)
        this.#cancel(id)
        reject(new CodedError('request.cancelled', 'It was cancelled.'))
      }
      const finished = (): void => signal?.removeEventListener('abort', abort)
      this.#calls.set(id, {
        resolve: (value) => (finished(), resolve(value)),
        reject: (error) => (finished(), reject(error)),
      })
      signal?.addEventListener('abort', abort, { once: true })
      if (!this.#send({ id, method, ...(input !== undefined && { input }) })) {
        this.#calls.delete(id)
        finished()
        reject(this.#reason ? lost() : new CodedError('request.invalid', 'It is too long for the place.'))
      }
    })
  }

  /**
   * Subscribes. The pushes end with the subscription, and fail with its failure, or with `connection.lost`; a
   * subscriber that does not keep up loses what waits and fails with `connection.lost` too.
   */
  subscribe(method: string, input: unknown, signal?: AbortSignal): PushBuffer {
    const id = this.#nextId++
    const buffer = new PushBuffer(this.#limits.pushBytes, () => {
      signal?.removeEventListener('abort', stop)
      if (this.#subscriptions.delete(id)) this.#cancel(id)
    })
    const stop = (): void => void buffer.return()
    signal?.addEventListener('abort', stop, { once: true })
    this.#subscriptions.set(id, buffer)
    if (signal?.aborted) stop()
    else if (!this.#send({ id, method, ...(input !== undefined && { input }) })) buffer.fail(lost())
    return buffer
  }

  /** Ends the connection; pending calls fail with `reason`. */
  close(reason: Error = lost()): void {
    if (this.#reason) return
    this.#reason = reason
    this.#channel.kill()
    this.#failed(reason)
    const failure = lost()
    for (const call of this.#calls.values()) call.reject(failure)
    this.#calls.clear()
    const subscriptions = [...this.#subscriptions.values()]
    this.#subscriptions.clear()
    for (const buffer of subscriptions) buffer.fail(failure)
    this.#end(reason)
  }

  #cancel(id: number): void {
    this.#cancelled.add(id)
    this.#send({ id, cancel: true })
  }

  #send(line: object): boolean {
    if (this.#reason) return false
    const text = JSON.stringify(line)
    if (Buffer.byteLength(text) > this.#maxSent) return false
    this.#channel.input.write(`${text}\n`)
    return true
  }

  async #read(): Promise<void> {
    const { lineBytes, greetingBytes } = this.#limits
    let pieces: Buffer[] = []
    let bytes = 0
    let before = 0
    const throttle = new Throttle(this.#limits, this.#now)
    for await (const chunk of this.#channel.output as AsyncIterable<Buffer>) {
      if (this.#reason) return
      let at = 0
      let lines = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
        pieces.push(chunk.subarray(at, end))
        at = end + 1
        lines += 1
        const text = Buffer.concat(pieces).toString('utf8')
        pieces = []
        bytes = 0
        if (this.#greeted) before += text.length
        this.#line(text)
        if (this.#reason) return
      }
      const rest = chunk.subarray(at)
      bytes += rest.length
      if (rest.length > 0) pieces.push(rest)
      if (bytes > lineBytes) throw misbehaved(`a line of more than ${lineBytes} bytes`)
      if (this.#greeted && before + bytes > greetingBytes) throw misbehaved('much text, but no greeting')
      await throttle.took(chunk.length, lines)
    }
  }

  #line(text: string): void {
    this.lastLineAt = this.#now()
    if (text.trim() === '') return
    const line = parsed(text)
    if (this.#greeted) {
      // A login shell may print something first.
      if (!line || !('hello' in line)) return
      this.#greet(line['hello'])
      return
    }
    if (!line) throw misbehaved('a line that is no JSON object')
    const { id } = line
    if (typeof id !== 'number') {
      this.#countStray()
      return
    }
    if ('event' in line) {
      const buffer = this.#subscriptions.get(id)
      if (buffer) buffer.push(line['event'], text.length)
      else if (!this.#cancelled.has(id)) this.#countStray()
      return
    }
    if (this.#cancelled.delete(id)) return
    const failure = 'error' in line ? remoteFailure(line['error']) : undefined
    const subscription = this.#subscriptions.get(id)
    if (subscription) {
      this.#subscriptions.delete(id)
      if (failure) subscription.fail(failure)
      else subscription.end()
      return
    }
    const call = this.#calls.get(id)
    if (!call) {
      this.#countStray()
      return
    }
    this.#calls.delete(id)
    if (failure) call.reject(failure)
    else call.resolve(line['result'])
  }

  #greet(hello: unknown): void {
    const { protocol, version, mostLineBytes } = (hello ?? {}) as Partial<Record<keyof LinkHello, unknown>>
    if (typeof protocol !== 'number' || typeof version !== 'string' || typeof mostLineBytes !== 'number')
      throw misbehaved('a greeting that cannot be read')
    if (protocol !== WIRE_PROTOCOL)
      throw new CodedError(
        'place.version',
        `Trestle there (${plainLine(version, 40)}) speaks version ${protocol} of the wire protocol, ` +
          `and this one ${WIRE_PROTOCOL}. ` +
          (protocol > WIRE_PROTOCOL ? 'Update Trestle on this machine.' : 'Update Trestle on the place.'),
      )
    this.#maxSent = Math.max(1 << 20, mostLineBytes)
    this.#greeted?.({ protocol, version: plainLine(version, 40), mostLineBytes })
    this.#greeted = undefined
  }

  /** A few answers cross with the cancellation of their request; many more than that are forged. */
  #countStray(): void {
    this.#stray += 1
    if (this.#stray > this.#limits.strayLines + this.#nextId) throw misbehaved('answers to calls that were never made')
  }
}

/** Pauses reading while more data arrives than a healthy engine sends. */
class Throttle {
  #from: number
  #bytes = 0
  #lines = 0
  readonly #limits: LinkLimits
  readonly #now: () => number

  constructor(limits: LinkLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
    this.#from = now()
  }

  async took(bytes: number, lines: number): Promise<void> {
    this.#bytes += bytes
    this.#lines += lines
    const { bytesPerSecond, linesPerSecond } = this.#limits
    const needed = Math.max(this.#bytes / bytesPerSecond, this.#lines / linesPerSecond) * 1000
    const elapsed = this.#now() - this.#from
    if (elapsed >= 1000) [this.#from, this.#bytes, this.#lines] = [this.#now(), 0, 0]
    if (needed > 1000) await new Promise((resolve) => setTimeout(resolve, Math.min(1000, needed - elapsed)).unref())
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Accepts only our own codes, with our own title and advice; the message is shown as plain text. */
export function remoteFailure(value: unknown): CodedError {
  const { code, message } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Failure>
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code) ? code : 'internal'
  // Only this side knows the state of the connection.
  const safe = known.startsWith('connection.') || known.startsWith('place.') ? 'internal' : known
  return new CodedError(safe, plainLine(typeof message === 'string' ? message : '', 2000))
}

export function lost(): CodedError {
  return new CodedError('connection.lost', 'The connection to the place was lost.')
}

export function misbehaved(what: string): CodedError {
  return new CodedError('place.misbehaved', `It sent ${what}.`)
}
