import type { TrestleClient } from '../../shared/contract'
import { PAGE_PATHS } from '../../shared/contract/page-host'
import { hasLinks } from './session/route'
import { showFailureToast } from './page/toasts-state'

/** Opens another window with this session (without one: a new session); in a browser, another tab. */
export function openInNewWindow(client: TrestleClient, sessionId?: string): void {
  const path =
    sessionId === undefined ? `/${PAGE_PATHS.new}` : `/${PAGE_PATHS.session}/${encodeURIComponent(sessionId)}`
  if (hasLinks) window.open(path, '_blank', 'noopener')
  else client.desktop.openWindow({ path }).catch(showFailureToast)
}
