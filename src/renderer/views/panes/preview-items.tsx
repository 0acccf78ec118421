import { AppWindow } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import { distinctPorts, useUsage, useWatchUsage } from '../../features/tasks/task-usage'
import { openPane } from '../../state/panes/panes-state'
import { useTasks } from '../../state/tasks-state'
import { MenuItem } from '../../ui/menu'

/** What a preview shows until another address is typed. */
const USUAL_ADDRESS = 'http://localhost:3000/'

/** Menu items for the servers that tasks of a session run, and for any other. */
export function PreviewItems({ sessionId }: { sessionId: string }) {
  useWatchUsage(true)
  const ids = useTasks(
    useShallow(({ tasks }) =>
      [...tasks.values()].flatMap((task) => (task.sessionId === sessionId ? [task.taskId] : [])),
    ),
  )
  const usage = useUsage((state) => state.usage)
  const ports = distinctPorts(ids.flatMap((taskId) => usage.get(taskId)?.ports ?? []))
  return (
    <>
      {ports.map(({ port }) => (
        <MenuItem
          key={port}
          icon={<AppWindow aria-hidden />}
          onSelect={() => openPane(sessionId, { kind: 'preview', url: `http://localhost:${port}/` })}
        >
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
