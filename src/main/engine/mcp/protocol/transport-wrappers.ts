import type {
  JSONRPCMessage,
  JSONRPCResponse,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { HandshakeResult } from './handshake'

/** Where an answer is kept whole; see `looseAnswer`. */
const ANSWER = 'trestle/answer'
/** Any answer: what a server says is read piece by piece, so that one bad piece does not spoil the others. */
const anything = z.record(z.string(), z.unknown())
/** What the library requires of answers of the stateless revision, by method. */
const REQUIRED: Readonly<Record<string, object>> = {
  'tools/call': { content: [] },
  'tools/list': { tools: [] },
  'prompts/get': { messages: [] },
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [] },
  'completion/complete': { completion: { values: [] } },
  'server/discover': { supportedVersions: [], capabilities: {} },
}

/** Takes an answer as the server sent it, whatever is in it. */
export const looseResult = anything.transform((answer): Record<string, unknown> => {
  const whole = answer[ANSWER]
  return whole === undefined ? answer : anything.parse(whole)
})

/**
 * A transport whose server was greeted already, for the protocol's library to go on with: `initialize` is answered with what the server said to it, and answers of the stateless
 * revision are handed through the library's own check, which would lose a whole list over one bad tool.
 */
export class ReplayTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  readonly hasPerRequestStream: boolean
  readonly #inner: Transport
  readonly #greeted: HandshakeResult
  /** Requests under way, by id. */
  readonly #methods = new Map<unknown, string>()

  constructor(inner: Transport, greeted: HandshakeResult) {
    this.#inner = inner
    this.#greeted = greeted
    this.hasPerRequestStream = inner.hasPerRequestStream === true
  }

  async start(): Promise<void> {
    const inner = this.#inner
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    inner.onclose = () => this.onclose?.()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    inner.onerror = (error) => this.onerror?.(error)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    inner.onmessage = (message, extra) => {
      if ('method' in message) this.onmessage?.(message, extra)
      // Notifications are handled a moment after they came: progress that came just before the answer would find its request gone.
      else queueMicrotask(() => this.onmessage?.(this.#loosened(message), extra))
    }
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isRequest = 'method' in message && 'id' in message
    if (isRequest && message.method === 'initialize' && this.#greeted.generation === 'initialized') {
      this.onmessage?.({ jsonrpc: '2.0', id: message.id, result: this.#greeted.initialize })
      return
    }
    if (isRequest && this.#greeted.generation === 'stateless') this.#methods.set(message.id, message.method)
    await this.#inner.send(message, options)
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version)
  }

  /** Hands over what came before anybody listened. To be called when the library is ready for it. */
  replay(): void {
    for (const message of this.#greeted.early) this.onmessage?.(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  #loosened(message: JSONRPCResponse): JSONRPCMessage {
    const method = this.#methods.get(message.id)
    this.#methods.delete(message.id)
    if (method === undefined || !('result' in message)) return message
    const { result } = message
    // Servers must say so; one that does not has answered all the same.
    const { resultType = 'complete' } = result as { resultType?: unknown }
    if (resultType !== 'complete') return message
    return {
      ...message,
      result: {
        resultType,
        ttlMs: 0,
        cacheScope: 'private',
        ...(Object.hasOwn(REQUIRED, method) && REQUIRED[method]),
        [ANSWER]: result,
      },
    }
  }
}

/** So many requests of a server may be worked on, or wait for it to take their answer. */
const MAX_PENDING_REQUESTS = 100

/**
 * Lets a flood of requests cost next to nothing: over HTTP each answer is a request of ours, and a server that asks faster than it takes answers would fill
 * the memory with them. What comes while too many wait is not answered. To be called when the protocol has taken hold of the transport. `dropped` is told once
 * for each flood.
 */
export function guardRequests(transport: Transport, dropped: () => void): void {
  const inner = transport.onmessage
  if (!inner) return
  const send = transport.send.bind(transport)
  const waiting = new Set<string | number>()
  let wasFlood = false
  const answered = (id: string | number): void => {
    waiting.delete(id)
    if (waiting.size === 0) wasFlood = false
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  transport.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/cancelled') {
      // What a server takes back is not answered any more.
      const taken: unknown = message.params?.['requestId']
      if (typeof taken === 'string' || typeof taken === 'number') answered(taken)
    } else if ('method' in message && 'id' in message) {
      if (waiting.size >= MAX_PENDING_REQUESTS) {
        if (!wasFlood) dropped()
        wasFlood = true
        return
      }
      waiting.add(message.id)
    }
    inner(message, extra)
  }
  transport.send = async (message, options) => {
    try {
      await send(message, options)
    } finally {
      if (!('method' in message) && message.id !== undefined) answered(message.id)
    }
  }
}

/** So many notifications a second are looked at; a server's log or progress that comes faster is for nobody. */
const MAX_A_SECOND = 300
/** What must not be lost, and costs little. */
const ALWAYS = /^notifications\/(?:\w+\/list_changed|cancelled|elicitation\/complete|resources\/updated)$/

/**
 * Lets a flood of notifications cost next to nothing: what comes too fast is thrown away before the protocol looks at it. To be called when the protocol has
 * taken hold of the transport. `dropped` is told once for each flood.
 */
export function guardNotifications(transport: Transport, dropped: () => void): void {
  const inner = transport.onmessage
  if (!inner) return
  let since = performance.now()
  let seen = 0
  let wasFlood = false
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  transport.onmessage = (message, extra) => {
    if ('method' in message && !('id' in message) && !ALWAYS.test(message.method)) {
      const now = performance.now()
      if (now - since > 1000) {
        wasFlood &&= seen > MAX_A_SECOND
        ;[since, seen] = [now, 0]
      }
      if (++seen > MAX_A_SECOND) {
        if (!wasFlood) dropped()
        wasFlood = true
        return
      }
    }
    inner(message, extra)
  }
}
