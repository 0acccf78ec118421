import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useClient } from '../../state/page/queries'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

/** The actions on a place, each with a message about its result. */
export function usePlaceActions() {
  const client = useClient()
  const queryClient = useQueryClient()
  return useMemo(() => {
    const after = (work: Promise<unknown>, title?: string): Promise<void> =>
      work
        .then(() => (title === undefined ? undefined : showToast(title)))
        .catch(showFailureToast)
        .finally(() => void queryClient.invalidateQueries({ queryKey: [['place']] }))
    const restore = (placeId: string): void => void after(client.place.restore({ placeId }), `${placeId} restored`)
    return {
      connect: (placeId: string) => after(client.place.connect({ placeId })),
      disconnect: (placeId: string) => after(client.place.disconnect({ placeId })),
      answer: (placeId: string, questionId: string, answer: string | null) =>
        after(client.place.answer({ placeId, questionId, answer })),
      remove: (placeId: string) =>
        after(
          client.place
            .remove({ placeId })
            .then(({ note }) =>
              showToast(note ?? `${placeId} removed`, { label: 'Restore', run: () => restore(placeId) }),
            ),
        ),
    }
  }, [client, queryClient])
}
