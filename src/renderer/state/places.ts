import { useQuery } from '@tanstack/react-query'
import type { PlaceView } from '../../shared/model/place'
import { useQueries } from './page/queries'

const NO_PLACES: readonly PlaceView[] = []

/** Other machines, containers and jobs that sessions can work in, with their states. */
export function usePlaces(): readonly PlaceView[] {
  const queries = useQueries()
  const { data } = useQuery(queries.place.list.queryOptions({ staleTime: Infinity, retry: false }))
  return data ?? NO_PLACES
}

/** One of them; undefined for this machine. */
export function usePlace(placeId: string | undefined): PlaceView | undefined {
  const places = usePlaces()
  return placeId === undefined ? undefined : places.find((place) => place.placeId === placeId)
}

/** Whether what is shown of a place may be old. */
export function isOutOfReach(place: PlaceView | undefined): boolean {
  return place !== undefined && place.state !== 'connected'
}

/** The state of a place as people read it. */
export function stateText({ state, since, progress }: PlaceView): string {
  switch (state) {
    case 'idle':
      return 'Not connected'
    case 'waiting':
      return progress ?? 'Waiting'
    case 'connecting':
      return progress ?? 'Connecting'
    case 'connected':
      return 'Connected'
    case 'unreachable':
      return since > 0 ? `Unreachable since ${timeText(since)}` : 'Unreachable'
  }
}

function timeText(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday
    ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}
