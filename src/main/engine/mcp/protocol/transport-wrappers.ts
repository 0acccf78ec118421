import type {
  JSONRPCMessage,
  JSONRPCResponse,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import type { ServerRequest } from './connection'
import type { HandshakeResult } from './handshake'
import { STREAM_LOST_CODE } from '../transport/bounded-fetch'

/** The key under which a result is kept whole; see `looseResult`. */
const ANSWER = 'trestle/answer'
/** Accepts any response. It is validated piece by piece, so that one invalid piece does not affect the others. */
const anything = lazySchema(() => z.record(z.string(), z.unknown()))
/** Fields that the library requires in responses of the stateless revision, by method. */
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

/** Accepts a response as the server sent it, no matter what it contains. */
export const looseResult = anything().transform((answer): Record<string, unknown> => {
  const whole = answer[ANSWER]
  return whole === undefined ? answer : anything().parse(whole)
})

/**
 * A transport whose server has already been initialized, for the protocol's library: `initialize` is answered with the
 * response the server already gave, and responses of the stateless revision bypass the library's validation, which
 * would lose an entire list over one bad tool.
 */
export class ReplayTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  readonly hasPerRequestStream: boolean
  readonly #inner: Transport
  readonly #greeted: HandshakeResult
  /** Running requests, by id. */
  readonly #methods = new Map<unknown, string>()

  constructor(inner: Transport, greeted: HandshakeResult) {
    this.#inner = inner
    this.#greeted = greeted
    this.hasPerRequestStream = inner.hasPerRequestStream === true
  }

  async start(): Promise<void> {
    const inner = this.#inner
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    inner.onclose = () => this.onclose?.()
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    inner.onerror = (error) => this.onerror?.(error)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
    inner.onmessage = (message, extra) => {
      if ('method' in message) this.onmessage?.(message, extra)
      // Deferred, because notifications are handled with a small delay: progress that arrived just before the response
      // would find its request already closed.
      else queueMicrotask(() => this.#deliver(message, extra))
    }
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const isRequest = 'method' in message && 'id' in message
    if (isRequest && message.method === 'initialize' && this.#greeted.generation === 'initialized') {
      this.onmessage?.({ jsonrpc: '2.0', id: message.id, result: this.#greeted.initialize })
      return
    }
    if (!isRequest) {
      // The library no longer knows a request that it has cancelled.
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#methods.delete(message.params?.['requestId'])
      return this.#inner.send(message, options)
    }
    this.#methods.set(message.id, message.method)
    await this.#inner.send(message, { onRequestStreamEnd: () => this.#streamEnded(message.id), ...options })
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version)
  }

  /** Delivers early messages. Call when the library is ready for them. */
  replay(): void {
    for (const message of this.#greeted.early) this.onmessage?.(message)
  }

  close(): Promise<void> {
    return this.#inner.close()
  }

  /**
   * Fails a request whose stream has ended without a response and cannot be resumed; otherwise it would wait for its
   * time limit.
   */
  #streamEnded(id: string | number): void {
    if (!this.#methods.has(id)) return
    const message = 'The server ended the stream before it had answered, and it cannot be resumed.'
    this.#deliver({ jsonrpc: '2.0', id, error: { code: STREAM_LOST_CODE, message } })
  }

  /** Nothing catches what is thrown here; the library throws for values that are nested too deeply to be serialized. */
  #deliver(message: JSONRPCResponse, extra?: MessageExtraInfo): void {
    try {
      this.onmessage?.(this.#loosened(message), extra)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #loosened(message: JSONRPCResponse): JSONRPCMessage {
    const method = this.#methods.get(message.id)
    this.#methods.delete(message.id)
    if (method === undefined || this.#greeted.generation !== 'stateless' || !('result' in message)) return message
    const { result } = message
    // The field is required, but a server that omits it has answered anyway.
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

/**
 * Shows each request from the server before the protocol library handles it. Call after the library is attached to the
 * transport.
 */
export function onRequest(transport: Transport, received: (request: ServerRequest) => void): void {
  const inner = transport.onmessage
  if (!inner) return
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  transport.onmessage = (message, extra) => {
    if ('method' in message && 'id' in message) received(message)
    inner(message, extra)
  }
}

/**
 * Maximum number of a server's requests that are being worked on or waiting for the server to accept their response.
 */
const MAX_PENDING_REQUESTS = 100

/**
 * Makes a flood of requests cheap: over HTTP, each response is a request of ours, and a server that sends requests
 * faster than it accepts responses would fill the memory with them. Requests beyond the limit are not answered. Call
 * after the protocol library is attached to the transport. `dropped` is called once per flood.
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
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
  transport.onmessage = (message, extra) => {
    if ('method' in message && message.method === 'notifications/cancelled') {
      // A cancelled request is no longer answered.
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

/** Maximum number of notifications handled per second; more log lines or progress would be unreadable. */
const MAX_A_SECOND = 300
/** Notifications that must not be lost and cost little. */
const ALWAYS = /^notifications\/(?:\w+\/list_changed|cancelled|elicitation\/complete|resources\/updated)$/

/**
 * Makes a flood of notifications cheap: excess ones are dropped before the protocol library parses them. Call after the
 * library is attached to the transport. `dropped` is called once per flood.
 */
export function guardNotifications(transport: Transport, dropped: () => void): void {
  const inner = transport.onmessage
  if (!inner) return
  let since = performance.now()
  let seen = 0
  let wasFlood = false
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is not an EventTarget
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
