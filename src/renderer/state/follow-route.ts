import type { TrestleClient } from '../../shared/contract'
import { goToMessage } from './go-to-message'
import { useLayout, type MainView } from './layout-state'
import { messageOf, pathOf, viewOf } from './route'

/**
 * Keeps the address of the page and what is on screen the same: the page opens at its address, Back and Forward go through what was open, and the view
 * the user chooses gets its own entry. Returns how to stop.
 */
export function followRoute(client: TrestleClient): () => void {
  const open = (): void => {
    const view = viewOf(location.pathname, location.search)
    if (view) show(view)
    else history.replaceState(null, '', pathOf(useLayout.getState().view))
    const seq = messageOf(location.hash)
    // What cannot be found is the conversation's to tell.
    if (view?.kind === 'session' && seq !== undefined) goToMessage(client, view.sessionId, seq).catch(() => undefined)
  }
  const stop = useLayout.subscribe((now, before) => {
    if (now.view === before.view) return
    const path = pathOf(now.view)
    if (path === location.pathname + location.search) return
    // A session that is gone is no place to come back to.
    const gone = before.view.kind === 'session' && now.view.kind === 'new' && now.lastSessionId !== before.view.sessionId
    if (gone) history.replaceState(null, '', path)
    else history.pushState(null, '', path)
  })
  open()
  window.addEventListener('popstate', open)
  return () => {
    stop()
    window.removeEventListener('popstate', open)
  }
}

function show(view: MainView): void {
  const { openSession } = useLayout.getState()
  if (view.kind === 'session') openSession(view.sessionId)
  else useLayout.setState({ view, drawer: 'none' })
}
