import { Columns3, AppWindow } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlay/menu'
import { onDemand } from '../../ui/on-demand'
import { HiddenTerminals } from './terminal-marks'
import { usePaneCommands } from './pane-commands'
import { useShallow } from 'zustand/react/shallow'
import { distinctPorts, useUsage, useWatchUsage } from '../../features/tasks/task-usage'
import { useClient } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { openPane } from '../../state/panes/panes-state'
import { useTasks } from '../../state/tasks/tasks-state'

/** The initial address of a preview. */
const USUAL_ADDRESS = 'http://localhost:3000/'

/** Menu items for the servers that tasks of a session run, and for any other. */
function PreviewItems({ sessionId }: { sessionId: string }) {
  useWatchUsage(true)
  const client = useClient()
  const ids = useTasks(
    useShallow(({ tasks }) =>
      [...tasks.values()].flatMap((task) => (task.sessionId === sessionId ? [task.taskId] : [])),
    ),
  )
  const place = useTasks(({ tasks }) => tasks.get(ids[0] ?? '')?.place)
  const show = async (port: number): Promise<void> => {
    try {
      const near = place === undefined ? port : (await client.place.forward({ placeId: place, port })).port
      openPane(sessionId, { kind: 'preview', url: `http://localhost:${near}/` })
    } catch (error) {
      showFailureToast(error)
    }
  }
  const usage = useUsage((state) => state.usage)
  const ports = distinctPorts(ids.flatMap((taskId) => usage.get(taskId)?.ports ?? []))
  return (
    <>
      {ports.map(({ port }) => (
        <MenuItem key={port} icon={<AppWindow aria-hidden />} onSelect={() => void show(port)}>
          Preview of port {port}
        </MenuItem>
      ))}
      <MenuItem
        icon={<AppWindow aria-hidden />}
        onSelect={() => openPane(sessionId, { kind: 'preview', url: USUAL_ADDRESS })}
      >
        Preview
      </MenuItem>
    </>
  )
}

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
            {/* Two lines are enough for the header of a phone. */}
            <span className="max-mid:sr-only">Panes</span>
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
