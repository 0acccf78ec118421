import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSessions, withChanges } from '../../state/session-list/sessions-state'
import { showFailureToast } from '../../state/page/toasts-state'
import { useClient, useQueries } from '../../state/page/queries'

/** The archive: its sessions are loaded when it is first opened; until then one session shows that there are any. */
export function useArchive(): { open: boolean; loading: boolean; any: boolean; toggle: () => void } {
  const client = useClient()
  const queries = useQueries()
  const { data: first } = useQuery(
    queries.session.list.queryOptions({ input: { archived: true, limit: 1 }, staleTime: Infinity }),
  )
  const [open, setOpen] = useState(false)
  const [asked, setAsked] = useState<'no' | 'loading' | 'yes'>('no')
  const load = async (): Promise<void> => {
    setAsked('loading')
    try {
      const list = await client.session.list({ archived: true, limit: 10_000 })
      useSessions.setState((state) => withChanges(state, list, []))
      setAsked('yes')
    } catch (error) {
      setAsked('no')
      setOpen(false)
      showFailureToast(error)
    }
  }
  const toggle = (): void => {
    setOpen(!open)
    if (!open && asked === 'no') void load()
  }
  // Once all are loaded, the list itself shows whether there are any.
  return { open, loading: asked === 'loading', any: asked !== 'yes' && first !== undefined && first.length > 0, toggle }
}
