import type { JSONRPCMessage, JSONRPCResponse, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Greeted } from './greet'

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
export const looseAnswer = anything.transform((answer): Record<string, unknown> => {
  const whole = answer[ANSWER]
  return whole === undefined ? answer : anything.parse(whole)
})

/**
 * A transport whose server was greeted already, for the protocol's library to go on with: `initialize` is answered with what the server said to it, and answers of the stateless
 * revision are handed through the library's own check, which would lose a whole list over one bad tool.
 */
export class GreetedTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void
  readonly hasPerRequestStream: boolean
  readonly #inner: Transport
  readonly #greeted: Greeted
  /** Requests under way, by id. */
  readonly #methods = new Map<unknown, string>()

  constructor(inner: Transport, greeted: Greeted) {
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
      result: { resultType, ttlMs: 0, cacheScope: 'private', ...(Object.hasOwn(REQUIRED, method) && REQUIRED[method]), [ANSWER]: result },
    }
  }
}
