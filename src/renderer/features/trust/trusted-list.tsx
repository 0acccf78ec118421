import { folderName } from '../../format/folder-name'
import { relativeTime, useNowEachMinute } from '../../format/relative-time'
import { useAppInfo, useClient, useQueries } from '../../state/page/queries'
import { Button } from '../../ui/button'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { showFailureToast } from '../../state/page/toasts-state'
import { Skeleton } from '../../ui/loading'
import { TrustBanner, useTrustView } from './trust-banner'
import { formatMoment } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

interface TrustedListProps {
  label: string
  /** Shown for an empty list; a sentence. */
  empty: string
  places: readonly { id: string; folder: string; acceptedAt: number }[]
  /** The place whose trust is being revoked. */
  busy: string | undefined
  onForget: (id: string) => void
}

/** Places that are trusted, each with a button that revokes the trust. */
export function TrustedList({ label, empty, places, busy, onForget }: TrustedListProps) {
  const { data: info } = useAppInfo()
  const now = useNowEachMinute()
  return (
    <ul className="overflow-hidden rounded-lg border border-line bg-raised" aria-label={label}>
      {places.map(({ id, folder, acceptedAt }) => {
        const { name, parent } = folderName(folder, info?.userHome)
        return (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3.5 py-2 first:border-t-0"
          >
            <span className="min-w-0 flex-1 truncate" title={folder}>
              <b className="font-medium">{name}</b> <span className="text-small text-ink-3">{parent}</span>
            </span>
            <time
              dateTime={new Date(acceptedAt).toISOString()}
              title={formatMoment(acceptedAt)}
              className="flex-none text-small text-ink-3"
            >
              {relativeTime(acceptedAt, now)}
            </time>
            <Button size="small" aria-label={`Stop trusting ${name}`} busy={busy === id} onClick={() => onForget(id)}>
              Stop trusting
            </Button>
          </li>
        )
      })}
      {places.length === 0 && <li className="px-3.5 py-3 text-ui text-ink-3">{empty}</li>}
    </ul>
  )
}

/** The trusted folders, each with a button that revokes the trust. */
export function TrustedFolders() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const query = useQuery(queries.trust.list.queryOptions({ staleTime: Infinity }))
  const { data: folders, error } = query
  const forget = useMutation({
    mutationFn: (folder: string) => client.trust.forget({ folder }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['trust']] }),
    onError: showFailureToast,
  })
  if (error) return <LoadError query={query} />
  if (!folders) return <Skeleton className="h-10 w-full rounded-lg" />
  return (
    <TrustedList
      label="Trusted folders"
      empty="No trusted folders. You’re asked when a project has its own settings."
      places={folders.map(({ folder, acceptedAt }) => ({ id: folder, folder, acceptedAt }))}
      busy={forget.isPending ? forget.variables : undefined}
      onForget={(folder) => forget.mutate(folder)}
    />
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

/** The repositories that may run their configured programs, each with a button that revokes the trust. */
export function TrustedRepositories() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const query = useQuery(queries.git.trusted.queryOptions())
  const { data: repositories, error } = query
  const forget = useMutation({
    mutationFn: (repository: string) => client.git.forgetTrust({ repository }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['git']] }),
    onError: showFailureToast,
  })
  if (error) return <LoadError query={query} />
  if (!repositories) return <Skeleton className="h-10 w-full rounded-lg" />
  return (
    <TrustedList
      label="Trusted repositories"
      empty="No trusted repositories. You’re asked before Git runs anything that comes with a repository."
      places={repositories.map(({ repository, acceptedAt }) => ({
        id: repository,
        // The project folder instead of its .git folder.
        folder: repository.replace(/[\\/]\.git$/, ''),
        acceptedAt,
      }))}
      busy={forget.isPending ? forget.variables : undefined}
      onForget={(repository) => forget.mutate(repository)}
    />
  )
}
