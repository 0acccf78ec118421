import type { Pane } from '../../state/panes/pane'
import { useSessions, titleOf } from '../../state/session/sessions-state'
import { useLayout } from '../../state/page/layout-state'
import { paneTitle } from '../pane-content'

/** The name on a pane's tab, updated when it changes. */
export function usePaneTitle(pane: Pane | undefined): string {
  const other = pane?.kind === 'session' ? pane.sessionId : undefined
  const isOwn = useLayout(({ view }) => view.kind === 'session' && view.sessionId === other)
  const summary = useSessions(({ sessions }) => (other === undefined ? undefined : sessions.get(other)))
  if (!pane) return ''
  if (isOwn) return 'Conversation'
  return summary ? titleOf(summary) : paneTitle(pane)
}
