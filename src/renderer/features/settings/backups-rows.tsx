import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { failureFrom } from '../../client/failure-from'
import { tell, tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { AboutRow, PathRow } from './about-row'
import { backupsWords } from './backups-words'

/** The backups of the sessions: how many, how large, how new, and where; and one more on demand. */
export function BackupsRows() {
  const queries = useQueries()
  const client = useClient()
  const queryClient = useQueryClient()
  // One is made every day, by whichever Trestle is open: what was seen earlier may be old.
  const { data: backups, error, dataUpdatedAt } = useQuery(queries.app.backups.queryOptions({ staleTime: 0 }))
  const backUp = useMutation({
    mutationFn: () => client.app.backUp(),
    onSuccess: (view) => {
      queryClient.setQueryData(queries.app.backups.queryKey(), view)
      tell('Backup made')
    },
    onError: tellFailure,
  })
  return (
    <>
      <AboutRow name="Backups">
        <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <span className="min-w-0 flex-1 basis-[180px]">
            {error ? failureFrom(error).message : backups ? backupsWords(backups, dataUpdatedAt) : '…'}
          </span>
          <Button size="small" busy={backUp.isPending} onClick={() => backUp.mutate()}>
            Back up now
          </Button>
        </span>
      </AboutRow>
      {backups && <PathRow name="Backups folder" path={backups.folder} />}
    </>
  )
}
