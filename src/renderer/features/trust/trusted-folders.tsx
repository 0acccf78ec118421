import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureFrom } from '../../client/failure-from'
import { folderName } from '../../format/folder-name'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useAppInfo, useClient, useQueries } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { TrustBanner, useTrustView } from './trust-banner'

/** The trusted folders, each with a button that revokes the trust. */
export function TrustedFolders() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: info } = useAppInfo()
  const now = useNowEachMinute()
  const { data: folders, error } = useQuery(queries.trust.list.queryOptions({ staleTime: Infinity }))
  const forget = useMutation({
    mutationFn: (folder: string) => client.trust.forget({ folder }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['trust']] }),
    onError: showFailureToast,
  })
  if (error) return <ErrorNote failure={failureFrom(error)} />
  if (!folders) return <Skeleton className="h-10 w-full rounded-lg" />
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-raised" aria-label="Trusted folders">
      {folders.map(({ folder, acceptedAt }) => {
        const { name, parent } = folderName(folder, info?.userHome)
        return (
          <li
            key={folder}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2 first:border-t-0"
          >
            <span className="min-w-0 flex-1 truncate" title={folder}>
              <b className="font-medium">{name}</b> <span className="text-small text-ink-3">{parent}</span>
            </span>
            <time
              dateTime={new Date(acceptedAt).toISOString()}
              title={new Date(acceptedAt).toLocaleString()}
              className="flex-none text-small text-ink-3"
            >
              {relativeTime(acceptedAt, now)}
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
        <li className="px-3.5 py-3 text-ui text-ink-3">
          No trusted folders. You’re asked when a project has its own settings.
        </li>
      )}
    </ul>
  )
}

/** The trust question of a folder with a pending decision; also after it was dismissed. */
export function TrustQuestion({ folder, userHome }: { folder: string; userHome: string | undefined }) {
  const view = useTrustView(folder)
  const [closedAt, setClosedAt] = useState<string>()
  if (!view || view.state === 'nothing' || view.state === 'trusted' || closedAt === view.hash) return null
  return (
    <div className="mb-3.5 overflow-hidden rounded-lg border border-line [&_.trust]:border-b-0">
      <TrustBanner view={view} userHome={userHome} reopened onClose={() => setClosedAt(view.hash)} />
    </div>
  )
}
