import { useCallback } from 'react'
import { safeLink } from '../../shared/safe-link'
import { showFailureToast, showNoticeToast } from './page/toasts-state'
import { useClient } from './page/queries'

/** Opens a web page outside the app. In a browser, the page opens it, because the host has no window. */
export function useOpenLink(): (url: string) => void {
  const client = useClient()
  return useCallback(
    (address) => {
      // URLs also come from servers and from programs in a terminal, and the desktop app's own check does not run in a
      // browser.
      const url = safeLink(address)
      if (url === undefined)
        return showNoticeToast(`This address cannot be opened: ${address.slice(0, 200)}`, 'warning')
      void client.app
        .openExternal({ url })
        .then((opened) => (opened ? undefined : window.open(url, '_blank', 'noopener,noreferrer')), showFailureToast)
    },
    [client],
  )
}
