import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ContextView } from '../../shared/model/compaction'
import { useSessionHeader } from './session-view'
import { useClient } from './trestle-context'

/** What the next request of a session would be made of; asked again when a step has ended. Undefined while it is not known. */
export function useContextView(sessionId: string): ContextView | undefined {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data } = useQuery({
    queryKey: ['context', sessionId, header?.model, header?.spent, header?.turns, header?.turnId, header?.compacted?.seq],
    queryFn: () => client.session.context({ sessionId }),
    enabled: header !== undefined && header.turns > 0,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  })
  return data
}
