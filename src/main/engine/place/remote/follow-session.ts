import { CodedError } from '../../../../shared/errors'
import type { RemoteEngine } from './remote-engine'
import { misbehaved, type WireLink } from './wire-link'

interface SessionEventLike {
  type: string
  seq?: number
  sessionId?: string
}

/** Maximum number of recorded events in one push. */
const MAX_EVENTS = 100_000
/** Maximum number of consecutive subscriptions that yield only a gap. */
const MAX_GAPS = 20

/**
 * All pushes of a session of a place after `since`, once and in order, however often the connection is lost: each new
 * subscription continues after the last event that arrived. Ends with the session or the signal.
 */
export async function* followRemoteSession(
  remote: Pick<RemoteEngine, 'reconnected'>,
  { sessionId, since }: { sessionId: string; since: number },
  {
    signal,
    adapt = (push) => push,
    seen,
  }: {
    signal?: AbortSignal
    /** Changes a push before it is passed on, e.g. the folder in a header. */
    adapt?: (push: Record<string, unknown>) => unknown
    /** Called with each event. */
    seen?: (event: Record<string, unknown>) => void
  } = {},
): AsyncGenerator<unknown, undefined, void> {
  let last = since
  let gaps = 0
  let isFirst = true
  /** A lost connection is not opened again from here, because the user may have ended it. Undefined: on an abort. */
  const linkFor = (requests: boolean): Promise<WireLink | undefined> =>
    remote.reconnected(signal, requests).catch((error: unknown) => {
      if (signal?.aborted) return undefined
      throw error
    })
  for (;;) {
    let isOver = true
    const link = await linkFor(isFirst)
    if (!link) return undefined
    isFirst = false
    const pushes = link.subscribe('push.session', { sessionId, since: last }, signal)
    try {
      for await (const push of pushes) {
        const checked = checkedPush(push, sessionId)
        if (checked['type'] === 'lagged') {
          isOver = false
          break
        }
        if (checked['type'] !== 'events') {
          yield adapt(checked)
          continue
        }
        const events = (checked['events'] as SessionEventLike[]).filter(
          (event) => event.seq === undefined || event.seq > last,
        )
        let isGap = false
        const inOrder = events.filter((event) => {
          if (isGap || event.seq === undefined) return !isGap
          if (event.seq !== last + 1) isGap = true
          else last = event.seq
          return !isGap
        })
        for (const event of inOrder) seen?.(event as unknown as Record<string, unknown>)
        if (inOrder.length > 0) gaps = 0
        if (inOrder.length > 0) yield adapt({ type: 'events', events: inOrder })
        // The next subscription delivers what is missing.
        if (isGap) {
          if ((gaps += 1) > MAX_GAPS) throw misbehaved('events with gaps')
          isOver = false
          break
        }
      }
      if (isOver || signal?.aborted) return undefined
    } catch (error) {
      if (signal?.aborted) return undefined
      if (!(error instanceof CodedError) || error.code !== 'connection.lost') throw error
    } finally {
      await pushes.return()
    }
  }
}

/** Throws if it is not a push of this session. */
function checkedPush(push: unknown, sessionId: string): Record<string, unknown> {
  if (typeof push !== 'object' || push === null) throw misbehaved('a push that is no object')
  const { type, header, events, live } = push as Record<string, unknown>
  if (type === 'lagged') return { type }
  if (type === 'start') {
    const named = (header as { sessionId?: unknown } | undefined)?.sessionId
    if (named !== sessionId) throw misbehaved('the header of another session')
    if (!Array.isArray(live)) throw misbehaved('a start without its live events')
    return push as Record<string, unknown>
  }
  if (type !== 'events' || !Array.isArray(events) || events.length > MAX_EVENTS)
    throw misbehaved('a push of an unknown kind')
  for (const event of events as unknown[]) {
    const { type: kind, seq, sessionId: of } = (event ?? {}) as Record<string, unknown>
    const isRecorded = seq !== undefined
    if (typeof kind !== 'string' || (isRecorded && (!Number.isSafeInteger(seq) || (seq as number) < 1)))
      throw misbehaved('an event that cannot be read')
    if (of !== undefined && of !== sessionId) throw misbehaved('an event of another session')
  }
  return push as Record<string, unknown>
}
