import type { Transport } from '@modelcontextprotocol/client'

/** So many notifications a second are looked at; a server's log or progress that comes faster is for nobody. */
const MOST_A_SECOND = 300
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
        wasFlood &&= seen > MOST_A_SECOND
        ;[since, seen] = [now, 0]
      }
      if (++seen > MOST_A_SECOND) {
        if (!wasFlood) dropped()
        wasFlood = true
        return
      }
    }
    inner(message, extra)
  }
}
