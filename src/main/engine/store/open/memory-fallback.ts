import { CodedError } from '../../../../shared/errors'
import type { EventBody, RecordedEvent } from '../../../../shared/events/event'
import { applyHeader } from '../../../../shared/events/fold-header'
import { statusOf, type SessionHeader } from '../../../../shared/model/session/session'
import type { Store } from '../store'

/** Events of a session that could not be written to its log. */
interface UnsavedEvents {
  events: RecordedEvent[]
  header: SessionHeader
}

/**
 * A store that keeps events in memory when the disk is full. They can be read like recorded events, with their future
 * `seq`, and are written with the next append that succeeds. If the process ends before that, the next start ends the
 * turn.
 */
export function withMemoryFallback(disk: Omit<Store, 'hold'>, now: () => number): Store {
  const held = new Map<string, UnsavedEvents>()
  const headerOf = (sessionId: string): SessionHeader | undefined =>
    held.get(sessionId)?.header ?? disk.header(sessionId)
  const heldAfter = (sessionId: string, since: number): RecordedEvent[] =>
    held.get(sessionId)?.events.filter((event) => event.seq > since) ?? []

  const append: Store['append'] = (sessionId, bodies, options) => {
    const waiting = held.get(sessionId)
    if (!waiting) return disk.append(sessionId, bodies, options)
    const events = disk.append(sessionId, [...waiting.events.map(bodyOf), ...bodies])
    held.delete(sessionId)
    return events.slice(waiting.events.length)
  }
  const writeHeld = (sessionId: string): void => {
    try {
      append(sessionId, [])
    } catch {
      // Still no space. The events are the end of a turn, which the next start records.
      held.delete(sessionId)
    }
  }

  return {
    ...disk,
    append,
    hold(sessionId, bodies) {
      const before = headerOf(sessionId)
      if (!before) return []
      let header = before
      const events = bodies.map((body) => {
        const event: RecordedEvent = { ...body, sessionId, seq: header.seq + 1, at: now() }
        header = applyHeader(header, event)
        return event
      })
      held.set(sessionId, { events: [...(held.get(sessionId)?.events ?? []), ...events], header })
      return events
    },
    header: headerOf,
    list: (filter) =>
      disk.list(filter).map((row) => {
        const header = held.get(row.sessionId)?.header
        return header ? { ...row, status: statusOf(header), waiting: header.approvals.length } : row
      }),
    since(sessionId, since, limit) {
      const events = disk.since(sessionId, since, limit)
      const room = limit === undefined || limit < 0 ? undefined : limit - events.length
      return [...events, ...heldAfter(sessionId, since).slice(0, room)]
    },
    window(sessionId, options) {
      const { events, hasMore } = disk.window(sessionId, options)
      const latest = heldAfter(sessionId, 0).filter((event) => event.seq < (options.before ?? Number.POSITIVE_INFINITY))
      return { events: [...events, ...latest], hasMore }
    },
    ofTypes: ((sessionId, types, since = 0) => [
      ...disk.ofTypes(sessionId, types, since),
      ...heldAfter(sessionId, since).filter((event) => types.some((type) => type === event.type)),
    ]) as Store['ofTypes'],
    waiting: () => disk.waiting().filter(({ sessionId }) => (held.get(sessionId)?.header.approvals.length ?? 1) > 0),
    agents: (filter) => disk.agents(filter).map((header) => held.get(header.sessionId)?.header ?? header),
    release(sessionId) {
      writeHeld(sessionId)
      try {
        disk.release(sessionId)
      } catch (error) {
        // The lease then ends with this process, so using or closing the session need not fail.
        if (!(error instanceof CodedError && error.code === 'store.full')) throw error
      }
    },
    remove(sessionId) {
      disk.remove(sessionId)
      held.delete(sessionId)
    },
    close() {
      for (const sessionId of held.keys()) writeHeld(sessionId)
      disk.close()
    },
  }
}

function bodyOf({ sessionId: _sessionId, seq: _seq, at: _at, ...body }: RecordedEvent): EventBody {
  return body
}
