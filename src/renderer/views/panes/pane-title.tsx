import { useQuery } from '@tanstack/react-query'
import type { UserTerminal } from '../../../shared/model/terminal'
import { useQueries } from '../../state/page/queries'
import type { Pane } from '../../state/panes/pane'
import { useSessions, titleOf } from '../../state/session/sessions-state'
import { useLayout } from '../../state/page/layout-state'
import { terminalName } from '../../state/user-terminals'
import { paneTitle } from '../pane-content'

/** The name on a pane's tab, updated when it changes. */
export function usePaneTitle(pane: Pane | undefined): string {
  const other = pane?.kind === 'session' ? pane.sessionId : undefined
  const isOwn = useLayout(({ view }) => view.kind === 'session' && view.sessionId === other)
  const summary = useSessions(({ sessions }) => (other === undefined ? undefined : sessions.get(other)))
  const terminals = useTerminals(pane?.kind === 'terminal')
  if (!pane) return ''
  const terminal = pane.kind === 'terminal' && terminals?.find(({ terminalId }) => terminalId === pane.terminalId)
  if (terminal) return terminalName(terminal)
  if (isOwn) return 'Conversation'
  return summary ? titleOf(summary) : paneTitle(pane)
}

/** The terminals of the session on screen, read only where a tab shows one. */
function useTerminals(enabled: boolean): UserTerminal[] | undefined {
  const queries = useQueries()
  const sessionId = useLayout(({ view }) => (view.kind === 'session' ? view.sessionId : ''))
  return useQuery(queries.terminal.list.queryOptions({ input: { sessionId }, enabled })).data
}
