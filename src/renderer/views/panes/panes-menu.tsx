import { Columns3 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu'
import { onDemand } from '../../ui/on-demand'
import { PreviewItems } from './preview-items'
import { HiddenTerminals } from './terminal-marks'
import { usePaneCommands } from './pane-commands'

const SessionPicker = onDemand(() => import('./session-picker').then((module) => module.SessionPicker))

/** Opens panes beside the conversation. */
export function PanesMenu({ sessionId }: { sessionId: string }) {
  const [picking, setPicking] = useState(false)
  const commands = usePaneCommands(sessionId)
  return (
    <>
      <Menu
        label="Panes"
        align="end"
        trigger={
          <Button size="small" variant="quiet" icon={<Columns3 aria-hidden />}>
            Panes
          </Button>
        }
      >
        {commands.map(({ id, label, icon, run }) => (
          <MenuItem key={id} icon={icon} onSelect={run}>
            {label}
          </MenuItem>
        ))}
        <PreviewItems sessionId={sessionId} />
        <HiddenTerminals sessionId={sessionId} />
        <MenuSeparator />
        <MenuItem onSelect={() => setPicking(true)}>Another session…</MenuItem>
      </Menu>
      {picking && <SessionPicker sessionId={sessionId} onClose={() => setPicking(false)} />}
    </>
  )
}
