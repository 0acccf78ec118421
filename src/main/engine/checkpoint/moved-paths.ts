import type { RecordedEvent } from '../../../shared/events/event'
import type { HistoryHead } from '../../../shared/model/place/move'
import type { FileChange } from '../../../shared/model/session/checkpoint'
import type { Store } from '../store/store'

/** Gives changes the paths that their files have here. */
export type PlaceChanges = (
  event: Pick<RecordedEvent, 'sessionId' | 'seq'>,
  changes: readonly FileChange[],
) => readonly FileChange[]

/**
 * For a session that was moved between places: what was recorded elsewhere names folders of that place. Each move says
 * what they are called here.
 */
export function placedChanges(store: Pick<Store, 'header' | 'ofTypes'>, sessionId: string): PlaceChanges {
  const header = store.header(sessionId)
  const rootId = header?.agent?.rootId ?? sessionId
  const root = rootId === sessionId ? header : store.header(rootId)
  if (root?.epoch === undefined) return (_event, changes) => changes
  const moves = store.ofTypes(rootId, ['session.received'])
  // Each home has its own clock, so what a subagent had recorded is known from the seal alone.
  const sealed = new Map(store.ofTypes(rootId, ['session.sealed']).map((seal) => [seal.moveId, headsOf(seal.agents)]))
  return (event, changes) => {
    const later = moves.filter((move) =>
      event.sessionId === rootId
        ? move.seq > event.seq
        : event.seq <= (sealed.get(move.moveId)?.get(event.sessionId) ?? 0),
    )
    if (later.length === 0) return changes
    return changes.map((change) => ({
      ...change,
      path: later.reduce((path, { moved }) => movedPath(path, moved), change.path),
    }))
  }
}

function headsOf(agents: readonly HistoryHead[]): Map<string, number> {
  return new Map(agents.map(({ sessionId, seq }) => [sessionId, seq]))
}

function movedPath(path: string, moved: readonly { from: string; to: string }[]): string {
  const pair = moved.find(({ from }) => path === from || path.startsWith(`${from}/`))
  return pair ? pair.to + path.slice(pair.from.length) : path
}
