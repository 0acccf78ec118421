import type { Transport } from '@modelcontextprotocol/client'

/** So many requests of a server may be worked on, or wait for it to take their answer. */
const MOST_WAITING = 100

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
      if (waiting.size >= MOST_WAITING) {
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
