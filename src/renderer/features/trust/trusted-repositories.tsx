import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { failureFrom } from '../../client/failure-from'
import { useClient, useQueries } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { TrustedList } from './trusted-list'

/** The repositories that may run programs of their own, each with a button that revokes the trust. */
export function TrustedRepositories() {
  const client = useClient()
  const queries = useQueries()
  const queryClient = useQueryClient()
  const { data: repositories, error } = useQuery(queries.git.trusted.queryOptions())
  const forget = useMutation({
    mutationFn: (repository: string) => client.git.forgetTrust({ repository }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [['git']] }),
    onError: showFailureToast,
  })
  if (error) return <ErrorNote failure={failureFrom(error)} />
  if (!repositories) return <Skeleton className="h-10 w-full rounded-lg" />
  return (
    <TrustedList
      label="Trusted repositories"
      empty="No trusted repositories. You’re asked when Git would run something that a repository brings along."
      places={repositories.map(({ repository, acceptedAt }) => ({
        id: repository,
        // The folder that people know.
        folder: repository.replace(/[\\/]\.git$/, ''),
        acceptedAt,
      }))}
      busy={forget.isPending ? forget.variables : undefined}
      onForget={(repository) => forget.mutate(repository)}
    />
  )
}
