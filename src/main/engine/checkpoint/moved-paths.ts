import { join, relative, sep } from 'node:path'
import type { RecordedEvent } from '../../../shared/events/event'
import type { HistoryHead } from '../../../shared/model/place/move'
import type { FileChange } from '../../../shared/model/session/checkpoint'
import type { Store } from '../store/store'
import { isWithin } from '../workspace/path/real-path'

/** Translates the paths of changes to this machine. */
export type PlaceChanges = (
  event: Pick<RecordedEvent, 'sessionId' | 'seq'>,
  changes: readonly FileChange[],
) => readonly FileChange[]

/**
 * For a session that was moved between places: events recorded elsewhere contain paths of that place. Each move records
 * the corresponding folders here.
 */
export function placedChanges(store: Pick<Store, 'header' | 'ofTypes'>, sessionId: string): PlaceChanges {
  const movesAfter = movesOf(store, sessionId)
  return (event, changes) => {
    const later = movesAfter(event)
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

/**
 * The same without what cannot be undone here. Events recorded elsewhere do not apply to other files on this computer,
 * and a move file can be forged: only the project, without git's own files, and the session's plans were moved. `home`:
 * TRESTLE_HOME.
 */
export function undoableChanges(
  store: Pick<Store, 'header' | 'ofTypes'>,
  sessionId: string,
  home: string,
): PlaceChanges {
  const movesAfter = movesOf(store, sessionId)
  const placed = placedChanges(store, sessionId)
  return (event, changes) => {
    const move = movesAfter(event).at(-1)
    if (!move) return placed(event, changes)
    const plans = join(home, 'sessions', event.sessionId, 'plans')
    const projects = [move.folder, ...move.moved.map(({ to }) => to)].filter((folder) => folder !== home)
    return placed(event, changes).filter(
      ({ path }) => isWithin(path, plans) || projects.some((folder) => isInProject(path, folder)),
    )
  }
}

function isInProject(path: string, folder: string): boolean {
  const names = relative(folder, path).split(sep)
  return isWithin(path, folder) && !names.some((name) => name === '..' || name.toLowerCase() === '.git')
}

type Move = Extract<RecordedEvent, { type: 'session.received' }>

/** The moves that came after an event, in order. */
function movesOf(
  store: Pick<Store, 'header' | 'ofTypes'>,
  sessionId: string,
): (event: Pick<RecordedEvent, 'sessionId' | 'seq'>) => Move[] {
  const header = store.header(sessionId)
  const rootId = header?.agent?.rootId ?? sessionId
  const root = rootId === sessionId ? header : store.header(rootId)
  if (root?.epoch === undefined) return () => []
  const moves = store.ofTypes(rootId, ['session.received'])
  const sealed = new Map(store.ofTypes(rootId, ['session.sealed']).map((seal) => [seal.moveId, headsOf(seal.agents)]))
  const received = new Map<string, Move[]>()
  const receivedBy = (id: string): Move[] => {
    const known = received.get(id) ?? store.ofTypes(id, ['session.received'])
    received.set(id, known)
    return known
  }
  return (event) =>
    moves.filter((move) => {
      if (event.sessionId === rootId) return move.seq > event.seq
      // A subagent's own record of the move decides, because the times of its events are from elsewhere. Older logs
      // have no such record; there, the seal lists the events before the move.
      const own = receivedBy(event.sessionId).find(({ moveId }) => moveId === move.moveId)
      return own ? own.seq > event.seq : event.seq <= (sealed.get(move.moveId)?.get(event.sessionId) ?? 0)
    })
}

function movedPath(path: string, moved: readonly { from: string; to: string }[]): string {
  const pair = moved.find(({ from }) => path === from || path.startsWith(`${from}/`))
  return pair ? pair.to + path.slice(pair.from.length) : path
}
