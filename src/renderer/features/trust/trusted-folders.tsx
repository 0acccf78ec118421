import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureFrom } from '../../client/failure-from'
import { useClient, useQueries } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { TrustBanner, useTrustView } from './trust-banner'
import { TrustedList } from './trusted-list'

/** The trusted folders, each with a button that revokes the trust. */
export function TrustedFolders() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: folders, error } = useQuery(queries.trust.list.queryOptions({ staleTime: Infinity }))
  const forget = useMutation({
    mutationFn: (folder: string) => client.trust.forget({ folder }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['trust']] }),
    onError: showFailureToast,
  })
  if (error) return <ErrorNote failure={failureFrom(error)} />
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
