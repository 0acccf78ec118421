import { ORPCError, call, type AnyProcedure } from '@orpc/server'
import type { WireId, WireLine } from '../../shared/contract/stdio-wire'
import { CodedError, failureOf, type Failure } from '../../shared/errors'
import { type LineWriter, parseLine, type ParsedLine, type ReadLine } from './json-lines'
import { contract } from '../../shared/contract'
import { didYouMean } from '../console/parse-command'
import { nearest } from '../../shared/nearest'
import type { ApiRouter } from '../api/server/router'
import { cutText } from '../../shared/cut-text'

/** Maximum concurrent requests; above it, no input is read. */
const MAX_CALLS = 256
/** Maximum subscriptions of one client; each has a queue. */
const MAX_SUBSCRIPTIONS = 500

type Request = Extract<ParsedLine, { kind: 'request' }>

/** One client of the contract, over lines. */
export interface WireServer {
  /**
   * Starts the request in a line; resolves when the next line can be read. The request itself continues in the
   * background.
   */
  receive(line: ReadLine): Promise<void>
  /** Ends every subscription. */
  endSubscriptions(): void
  /** Resolves when every request except subscriptions is answered. */
  answered(): Promise<void>
}

export function createWireServer(methods: ReadonlyMap<string, WireMethod>, writer: LineWriter): WireServer {
  /** Running requests, by the client's ids. */
  const open = new Map<WireId, AbortController>()
  const subscriptions = new Set<WireId>()
  /** Calls whose response is not written yet. */
  let unanswered = 0
  const watchers = new Set<() => void>()
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!condition()) return
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
    })
  const count = (change: 1 | -1): void => {
    unanswered += change
    for (const look of watchers) look()
  }

  async function run(request: Request): Promise<void> {
    const { id } = request
    count(1)
    const last = await answer(request).catch((error: unknown): WireLine => ({ id, error: failureFrom(error) }))
    // Before its last line is written: a client that has read it may reuse the id.
    open.delete(id)
    const wasSubscription = subscriptions.delete(id)
    await writer.write(last)
    if (!wasSubscription) count(-1)
  }

  /** Writes everything up to the last line, which is returned. */
  async function answer({ id, method: name, input }: Request): Promise<WireLine> {
    const controller = new AbortController()
    open.set(id, controller)
    const method = methods.get(name)
    if (!method) throw unknownMethod(name, methods)
    const result = await orCancelled(method(input, controller.signal), controller.signal)
    if (!isPushes(result)) return { id, result: result ?? null }
    if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
      await result.return?.()
      throw new CodedError('request.invalid', `${MAX_SUBSCRIPTIONS} subscriptions are open; end one first.`)
    }
    subscriptions.add(id)
    count(-1)
    for await (const event of result) await writer.write({ id, event })
    return { id, end: true }
  }

  return {
    async receive(line) {
      const parsed: ParsedLine =
        'problem' in line ? { kind: 'problem', id: null, message: line.problem } : parseLine(line)
      const { id } = parsed
      const isOpen = id !== null && open.has(id)
      if (parsed.kind === 'cancel') open.get(parsed.id)?.abort()
      else if (parsed.kind === 'problem') await writer.write({ id: isOpen ? null : id, error: invalid(parsed.message) })
      else if (isOpen)
        await writer.write({
          id: null,
          error: invalid(`Line ${line.n}: the id ${JSON.stringify(id)} is still in use.`),
        })
      else void run(parsed)
      await until(() => unanswered < MAX_CALLS)
      await writer.ready()
    },
    endSubscriptions() {
      for (const id of subscriptions) open.get(id)?.abort()
    },
    answered: () => until(() => unanswered === 0),
  }
}

function invalid(message: string): Failure {
  return new CodedError('request.invalid', message).failure
}

/** The API throws errors with the complete failure in `data`. */
function failureFrom(error: unknown): Failure {
  return error instanceof ORPCError ? (error.data as Failure) : failureOf(error)
}

/** A cancelled request is answered immediately, whether or not its work can be stopped. */
function orCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener(
      'abort',
      () => reject(new CodedError('request.cancelled', 'The client has cancelled it.')),
      { once: true },
    )
    promise.then(resolve, reject)
  })
}

function isPushes(result: unknown): result is AsyncIterableIterator<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** A method of the contract. Rejects with the API's error for clients. */
export type WireMethod = (input: unknown, signal: AbortSignal) => Promise<unknown>

/** Every method of the contract by name (`session.list`). */
export function wireMethods(router: ApiRouter): ReadonlyMap<string, WireMethod> {
  const methods = new Map<string, WireMethod>()
  const handlers = router as unknown as Record<string, Record<string, AnyProcedure>>
  for (const [namespace, group] of Object.entries(contract)) {
    for (const [verb, { '~orpc': definition }] of Object.entries(group)) {
      const procedure = handlers[namespace]![verb]!
      // The input object may be omitted when all its fields are optional.
      const without = definition.inputSchema === undefined ? undefined : {}
      const path = [namespace, verb]
      methods.set(path.join('.'), async (input, signal) =>
        call(procedure, input ?? without, { signal, path, context: {} }),
      )
    }
  }
  return methods
}

/** The error for an unknown method. */
function unknownMethod(name: string, methods: ReadonlyMap<string, WireMethod>): CodedError {
  const shown = name.length > 60 ? `${cutText(name, 60)}…` : name
  return new CodedError(
    'request.invalid',
    `There is no method ${shown}.${didYouMean(nearest(name, [...methods.keys()]))}`,
  )
}
