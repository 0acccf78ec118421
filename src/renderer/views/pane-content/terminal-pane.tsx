import { UserTerminal } from '../../features/terminal/user-terminal'
import { paneKey } from '../../state/panes/pane'
import { closePane, takesFocus } from '../../state/panes/panes-state'
import { useOpenLink } from '../../state/use-open-link'

/** A terminal of the user in a pane. */
export function TerminalPane({ sessionId, terminalId }: { sessionId: string; terminalId: string }) {
  const openLink = useOpenLink()
  return (
    <UserTerminal
      terminalId={terminalId}
      sessionId={sessionId}
      onOpenLink={openLink}
      takesFocus={() => takesFocus(paneKey({ kind: 'terminal', terminalId }))}
      onClose={() => closePane(sessionId, paneKey({ kind: 'terminal', terminalId }))}
    />
  )
}
