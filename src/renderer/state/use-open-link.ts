import { useCallback } from 'react'
import { tellFailure } from './toasts-state'
import { useClient } from './trestle-context'

/** Opens a web page outside the app. In a browser the page does it itself: the host has no window to open it in. */
export function useOpenLink(): (url: string) => void {
  const client = useClient()
  return useCallback(
    (url) =>
      void client.app
        .openExternal({ url })
        .then((opened) => (opened ? undefined : window.open(url, '_blank', 'noopener,noreferrer')), tellFailure),
    [client],
  )
}
