import { TasksPage } from '../features/tasks/tasks-page'
import { TaskTerminal } from './session/lazy-session-parts'
import { useOpenLink } from '../state/use-open-link'

export interface TasksViewProps {
  taskId: string | undefined
  userHome: string | undefined
  connected: boolean
}

/** All tasks in the main area, with the terminal of one of them. */
export function TasksView({ taskId, userHome, connected }: TasksViewProps) {
  const openLink = useOpenLink()
  return (
    <TasksPage
      taskId={taskId}
      userHome={userHome}
      connected={connected}
      renderTerminal={(id) => <TaskTerminal taskId={id} size="page" onOpenLink={openLink} />}
    />
  )
}
