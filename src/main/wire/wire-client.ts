import type { Duplex } from 'node:stream'
import type { TrestleClient } from '../../shared/contract'
import type { WireHello, WireId, WireLine } from '../../shared/contract/stdio-wire'
import { CodedError, ERRORS, type Failure } from '../../shared/errors'
import { isRecord } from '../../shared/json-fields'
import { LineReader } from '../engine/process/line-reader'

/** A connection of this program to an engine over the lines of the wire. */
export interface WireConnection {
  /** Every method of the contract. Failures are `CodedError`s; `connection.lost` when the connection breaks. */
  client: TrestleClient
  /** The same, by method name. Subscriptions resolve with an iterator. */
  call(method: string, input?: unknown, signal?: AbortSignal): Promise<unknown>
  /** The first line from the other side. */
  hello: Promise<WireHello['hello']>
  /** Resolves when the connection is closed, by either side. */
  closed: Promise<void>
  close(): void
}

/** Maximum pending pushes of one subscription; above it, the subscription ends, and its reader subscribes again. */
const MAX_WAITING = 20_000

type Settle = (line: Exclude<WireLine, WireHello>) => void

/** Speaks the wire protocol over a stream; loads nothing else. */
export function connectWire(stream: Duplex): WireConnection {
  const open = new Map<WireId, Settle>()
  const hello = Promise.withResolvers<WireHello['hello']>()
  hello.promise.catch(() => {})
  const closed = Promise.withResolvers<void>()
  let nextId = 1

  const end = (): void => {
    for (const [id, settle] of open) settle({ id, error: lost() })
    open.clear()
    hello.reject(new CodedError('connection.lost', 'The engine closed the connection.'))
    closed.resolve()
  }
  const send = (value: object): void => {
    if (!stream.destroyed) stream.write(`${JSON.stringify(value)}\n`)
  }
  stream.setEncoding('utf8')
  const reader = new LineReader((text) => {
    if (text === '' || stream.destroyed) return
    const line = lineFrom(text)
    // Its request is unknown, so every pending call fails.
    if (line) take(line)
    else stream.destroy()
  })
  stream.on('data', (text: string) => reader.add(text))
  // A handshake may have paused it.
  stream.resume()
  stream.on('error', () => stream.destroy())
  stream.once('end', () => stream.destroy())
  stream.once('close', end)

  function take(line: WireLine): void {
    if ('hello' in line) hello.resolve(line.hello)
    else if (line.id !== null) open.get(line.id)?.(line)
  }

  function call(method: string, input?: unknown, signal?: AbortSignal): Promise<unknown> {
    if (stream.destroyed) return Promise.reject(errorOf(lost()))
    if (signal?.aborted) return Promise.reject(new CodedError('request.cancelled', 'The request was cancelled.'))
    const id = nextId++
    const cancel = (): void => send({ id, cancel: true })
    signal?.addEventListener('abort', cancel, { once: true })
    const done = (): void => {
      open.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
    send({ id, method, ...(input !== undefined && { input }) })
    const pushes = new PushIterator(cancel)
    return new Promise((resolve, reject) => {
      open.set(id, (line) => {
        if ('event' in line) {
          resolve(pushes)
          pushes.add(line.event)
          return
        }
        done()
        if ('result' in line) resolve(line.result)
        else if ('error' in line) {
          pushes.finish(errorOf(line.error))
          reject(errorOf(line.error))
        } else {
          pushes.finish()
          resolve(pushes)
        }
      })
      // The first push can take a long time.
      if (method.startsWith('push.')) resolve(pushes)
    })
  }

  return {
    client: clientOf(call),
    call,
    hello: hello.promise,
    closed: closed.promise,
    close: () => void stream.destroy(),
  }
}

/** Pushes of one subscription, in order. */
class PushIterator implements AsyncIterableIterator<unknown, undefined> {
  readonly #cancel: () => void
  readonly #waiting: unknown[] = []
  #reader: PromiseWithResolvers<IteratorResult<unknown, undefined>> | undefined
  #end: { error?: CodedError } | undefined

  constructor(cancel: () => void) {
    this.#cancel = cancel
  }

  add(value: unknown): void {
    if (this.#end) return
    const reader = this.#reader
    this.#reader = undefined
    if (reader) reader.resolve({ done: false, value })
    else if (this.#waiting.push(value) > MAX_WAITING) {
      this.#waiting.length = 0
      this.#cancel()
      this.finish(new CodedError('connection.lost', 'More has happened than was read. Subscribe again.'))
    }
  }

  finish(error?: CodedError): void {
    this.#end ??= error ? { error } : {}
    const reader = this.#reader
    this.#reader = undefined
    if (!reader) return
    this.#end = {}
    if (error) reader.reject(error)
    else reader.resolve({ done: true, value: undefined })
  }

  next(): Promise<IteratorResult<unknown, undefined>> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#waiting.shift() })
    if (this.#end) {
      const { error } = this.#end
      this.#end = {}
      return error ? Promise.reject(error) : Promise.resolve({ done: true, value: undefined })
    }
    this.#reader ??= Promise.withResolvers()
    return this.#reader.promise
  }

  return(): Promise<IteratorResult<unknown, undefined>> {
    if (!this.#end) this.#cancel()
    this.#waiting.length = 0
    this.finish()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** Undefined for anything but a line of the wire. */
function lineFrom(text: string): WireLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return isRecord(line) ? (line as unknown as WireLine) : undefined
  } catch {
    return undefined
  }
}

function lost(): Failure {
  return new CodedError(
    'connection.lost',
    'The connection was lost before the response arrived. The request may or may not have completed.',
  ).failure
}

function errorOf({ code, message }: Failure): CodedError {
  // A newer engine may know more codes.
  return new CodedError(Object.hasOwn(ERRORS, code) ? code : 'internal', message)
}

/** A client whose `session.list(input, { signal })` calls the method `session.list`. */
export function clientOf(call: WireConnection['call']): TrestleClient {
  const namespaces = new Map<string, object>()
  const namespaceOf = (namespace: string): object =>
    new Proxy(
      {},
      {
        get: (_target, verb) =>
          typeof verb !== 'string' || verb === 'then'
            ? undefined
            : (input?: unknown, options?: { signal?: AbortSignal }) =>
                call(`${namespace}.${verb}`, input, options?.signal),
      },
    )
  return new Proxy({} as TrestleClient, {
    get(_target, name) {
      if (typeof name !== 'string' || name === 'then') return undefined
      const known = namespaces.get(name) ?? namespaceOf(name)
      namespaces.set(name, known)
      return known
    },
  })
}
