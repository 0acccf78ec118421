import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { SessionSummary } from '../../../shared/model/session/session'
import { useSessions, withArchive } from '../../state/session-list/sessions-state'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'

/**
 * The archive: its sessions are loaded when it is first opened, and again after a lost connection. Until then, one
 * session is enough to show that it is not empty.
 */
export function useArchive(): { open: boolean; loading: boolean; any: boolean; toggle: () => void } {
  const client = useClient()
  const queries = useQueries()
  const { data: first, dataUpdatedAt: firstAt } = useQuery(
    queries.session.list.queryOptions({ input: { archived: true, limit: 1 }, staleTime: Infinity }),
  )
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState<'no' | 'loading' | 'yes'>('no')
  const before = useRef<readonly SessionSummary[]>(undefined)
  const request = async (): Promise<void> => {
    const list = await client.session.list({ archived: true, limit: 10_000 })
    useSessions.setState((state) => withArchive(state, list, before.current))
    before.current = list
  }
  const load = async (): Promise<void> => {
    setAsked('loading')
    try {
      await request()
      setAsked('yes')
    } catch (error) {
      setAsked('no')
      setOpen(false)
      showFailureToast(error)
    }
  }
  // All queries, including `first`, are repeated after a reconnect.
  const repeat = useEffectEvent((answeredAt: number) => {
    if (answeredAt > 0 && asked === 'yes') request().catch(showFailureToast)
  })
  useEffect(() => repeat(firstAt), [firstAt])
  const toggle = (): void => {
    setOpen(!open)
    if (!open && asked === 'no') void load()
  }
  // Once all are loaded, the list itself shows whether there are any.
  return { open, loading: asked === 'loading', any: asked !== 'yes' && first !== undefined && first.length > 0, toggle }
}
