import { WindowDrafts } from './window-drafts'
import { windowId } from './window-id'

/** The drafts of this window. */
export const pageDrafts = new WindowDrafts(windowId)

pageDrafts.mark(false)
addEventListener('pagehide', () => pageDrafts.mark(true))
// The page was restored from the back/forward cache.
addEventListener('pageshow', () => pageDrafts.mark(false))
