import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../state/folder-name'
import { shortAgo, useMinute } from '../../state/relative-time'
import { useAppInfo } from '../../state/settings-query'
import { tellFailure } from '../../state/toasts-state'
import { useClient, useQueries } from '../../state/trestle-context'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/error-note'
import { Skeleton } from '../../ui/skeleton'

/** The folders whose own configuration counts, each with a way to stop that. */
export function TrustedFolders() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: info } = useAppInfo()
  const now = useMinute()
  const { data: folders, error } = useQuery(queries.trust.list.queryOptions({ staleTime: Infinity }))
  const forget = useMutation({
    mutationFn: (folder: string) => client.trust.forget({ folder }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['trust']] }),
    onError: tellFailure,
  })
  if (error) return <ErrorNote failure={failureFrom(error)} />
  if (!folders) return <Skeleton className="h-10 w-full rounded-lg" />
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-raised" aria-label="Trusted folders">
      {folders.map(({ folder, acceptedAt }) => {
        const { name, place } = folderName(folder, info?.userHome)
        return (
          <li key={folder} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2 first:border-t-0">
            <span className="min-w-0 flex-1 truncate" title={folder}>
              <b className="font-medium">{name}</b> <span className="text-small text-ink-3">{place}</span>
            </span>
            <time
              dateTime={new Date(acceptedAt).toISOString()}
              title={new Date(acceptedAt).toLocaleString()}
              className="flex-none text-small text-ink-3"
            >
              {shortAgo(acceptedAt, now)}
            </time>
            <Button
              size="small"
              aria-label={`Stop trusting ${name}`}
              busy={forget.isPending && forget.variables === folder}
              onClick={() => forget.mutate(folder)}
            >
              Stop trusting
            </Button>
          </li>
        )
      })}
      {folders.length === 0 && (
        <li className="px-3.5 py-3 text-ui text-ink-3">No trusted folders. You’re asked when a project has its own settings.</li>
      )}
    </ul>
  )
}
