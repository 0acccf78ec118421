import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrustView } from '../../../shared/model/trust'
import { failureFrom } from '../../client/failure-from'
import { tell, tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'

/** Whether a folder's own configuration counts; undefined until it is known. */
export function useTrustView(folder: string | undefined): TrustView | undefined {
  const queries = useQueries()
  const { data } = useQuery(
    queries.trust.get.queryOptions({
      input: { folder: folder ?? '' },
      enabled: folder !== undefined,
      staleTime: Infinity,
      // The engine tells of changes when a turn looks at the files; whoever comes back from an editor is asked at once.
      refetchOnWindowFocus: 'always',
    }),
  )
  return data
}

/** Decides about exactly what was shown; when the files have changed since, the new view is shown instead. */
export function useTrustDecision() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ view: { folder, hash }, trusted }: { view: TrustView; trusted: boolean }) =>
      client.trust[trusted ? 'accept' : 'refuse']({ folder, hash }),
    onSuccess: (view, { view: before, trusted }) => {
      queryClient.setQueryData(queries.trust.get.queryKey({ input: { folder: before.folder } }), view)
      if (trusted) tell('Folder trusted')
    },
    onError: (error) => {
      tellFailure(error)
      if (failureFrom(error).code === 'trust.changed') void queryClient.invalidateQueries({ queryKey: queries.trust.get.key() })
    },
  })
}
