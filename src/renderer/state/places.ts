import { useQuery } from '@tanstack/react-query'
import { formatDate } from '../../shared/language/speak'
import type { PlaceView } from '../../shared/model/place/place'
import { useQueries } from './page/queries'

const NO_PLACES: readonly PlaceView[] = []

/** Other machines, containers and jobs that sessions can work in, with their states. */
export function usePlaces(): readonly PlaceView[] {
  const queries = useQueries()
  const { data } = useQuery(queries.place.list.queryOptions({ staleTime: Infinity, retry: false }))
  return data ?? NO_PLACES
}

/** The place with this id; undefined for this machine. */
export function usePlace(placeId: string | undefined): PlaceView | undefined {
  const places = usePlaces()
  return placeId === undefined ? undefined : places.find((place) => place.placeId === placeId)
}

/** Whether the shown data of a place may be outdated. */
export function isOutOfReach(place: PlaceView | undefined): boolean {
  return place !== undefined && place.state !== 'connected'
}

const STATES = { idle: 'Not connected', waiting: 'Waiting', connecting: 'Connecting', connected: 'Connected' } as const

/** The state of a place as text. */
export function stateText({ state, since, progress, failure }: PlaceView): string {
  if (progress !== undefined) return progress
  if (failure?.code === 'place.stopped') return 'Stopped'
  if (state === 'unreachable') return since > 0 ? `Unreachable since ${timeText(since)}` : 'Unreachable'
  return STATES[state]
}

function timeText(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? formatDate(date, { timeStyle: 'short' })
    : formatDate(date, { dateStyle: 'medium', timeStyle: 'short' })
}
