import { Eye, SquareTerminal } from 'lucide-react'
import { paneKey, type Pane } from '../../state/panes/pane'
import { panesIn } from '../../state/panes/pane-tree'
import { openPane, useSessionPanes } from '../../state/panes/panes-state'
import { useLayout } from '../../state/page/layout-state'
import { terminalName, useUserTerminals } from '../../state/tasks/user-terminals'
import { Button } from '../../ui/button'
import { MenuItem } from '../../ui/overlay/menu'
import { Tooltip } from '../../ui/tooltip'

/** In the bar of a session: shows that its agent can read a terminal of the user. */
export function WatchMark({ sessionId }: { sessionId: string }) {
  const watched = useUserTerminals(sessionId)?.filter(({ isWatched }) => isWatched) ?? []
  const [first] = watched
  if (!first) return null
  const name = watched.length === 1 ? terminalName(first) : `${watched.length} terminals`
  return (
    <Tooltip text="The agent can read this terminal, but not type">
      <Button
        size="small"
        variant="quiet"
        className="bg-wait-bg text-wait-ink!"
        icon={<Eye aria-hidden />}
        onClick={() => openPane(sessionId, { kind: 'terminal', terminalId: first.terminalId })}
      >
        Watches {name}
      </Button>
    </Tooltip>
  )
}

/** Menu items for the terminals of a session that have no tab. */
export function HiddenTerminals({ sessionId }: { sessionId: string }) {
  const terminals = useUserTerminals(sessionId) ?? []
  const { root } = useSessionPanes(sessionId)
  const open = new Set(panesIn(root).map(paneKey))
  return terminals
    .map((terminal) => ({ terminal, pane: { kind: 'terminal', terminalId: terminal.terminalId } satisfies Pane }))
    .filter(({ pane }) => !open.has(paneKey(pane)))
    .map(({ terminal, pane }) => (
      <MenuItem
        key={terminal.terminalId}
        icon={<SquareTerminal aria-hidden />}
        onSelect={() => openPane(sessionId, pane)}
      >
        Terminal: {terminalName(terminal)}
      </MenuItem>
    ))
}

/** On the tab of a terminal that the agent can read. */
export function WatchedTab({ pane }: { pane: Pane }) {
  const sessionId = useLayout(({ view }) => (view.kind === 'session' ? view.sessionId : ''))
  return pane.kind === 'terminal' ? <WatchedTerminal sessionId={sessionId} terminalId={pane.terminalId} /> : null
}

function WatchedTerminal({ sessionId, terminalId }: { sessionId: string; terminalId: string }) {
  const terminal = useUserTerminals(sessionId)?.find((one) => one.terminalId === terminalId)
  return terminal?.isWatched ? (
    <Eye aria-label="watched by the agent" role="img" className="size-[13px] flex-none text-wait-ink" />
  ) : null
}
