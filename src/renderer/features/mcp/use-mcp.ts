import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TrestleClient } from '../../../shared/contract'
import { tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'

/** The servers a folder can use; asked for again when the engine says that something about them has changed. */
export function useMcpList(folder: string | undefined) {
  const queries = useQueries()
  return useQuery(
    queries.mcp.list.queryOptions({
      input: folder === undefined ? {} : { folder },
      staleTime: Infinity,
      refetchOnWindowFocus: 'always',
      placeholderData: (before) => before,
    }),
  )
}

/** Something that is done with servers; the lists are asked for again afterwards. What goes wrong is told, unless the caller does. */
export function useMcpChange<Input, Output>(run: (mcp: TrestleClient['mcp'], input: Input) => Promise<Output>, { quiet = false } = {}) {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => run(client.mcp, input),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [['mcp']] }),
    ...(!quiet && { onError: tellFailure }),
  })
}
