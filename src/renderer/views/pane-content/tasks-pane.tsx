import { use } from 'react'
import { TaskDetail } from '../../features/tasks/task-detail'
import { TasksPane as SessionTasks } from '../../features/tasks/tasks-pane'
import { useWatchUsage } from '../../features/tasks/task-usage'
import { paneKey, ConnectedContext } from '../../state/panes/pane'
import { closePane, openPane } from '../../state/panes/panes-state'
import { useAppInfo } from '../../state/page/queries'
import { useTaskActions } from '../../state/tasks/task-actions'
import { useTask, useTasks } from '../../state/tasks/tasks-state'
import { useOpenLink } from '../../state/use-open-link'
import { EmptyState } from '../../ui/notice'
import { TaskTerminal } from '../session/lazy-session-parts'

/** The tasks of a session, or one of them with its terminal. */
export function TasksPane({ sessionId, taskId }: { sessionId: string; taskId: string | undefined }) {
  const openLink = useOpenLink()
  if (taskId !== undefined) return <OneTask sessionId={sessionId} taskId={taskId} />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-panel">
      <SessionTasks
        sessionId={sessionId}
        renderTerminal={(id) => <TaskTerminal taskId={id} size="card" onOpenLink={openLink} />}
      />
    </div>
  )
}

function OneTask({ sessionId, taskId }: { sessionId: string; taskId: string }) {
  const task = useTask(taskId)
  const loaded = useTasks((state) => state.loaded)
  const actions = useTaskActions()
  const openLink = useOpenLink()
  const { data: info } = useAppInfo()
  useWatchUsage(use(ConnectedContext))
  const close = (): void => closePane(sessionId, paneKey({ kind: 'tasks', taskId }))
  if (!task)
    return loaded ? (
      <EmptyState className="m-auto" title="This task no longer exists">
        Its log was removed. Close the tab.
      </EmptyState>
    ) : null
  return (
    <TaskDetail
      task={task}
      userHome={info?.userHome}
      actions={actions}
      terminal={<TaskTerminal taskId={taskId} size="page" onOpenLink={openLink} />}
      onOpen={(id) => openPane(sessionId, { kind: 'tasks', taskId: id })}
      onClose={close}
    />
  )
}
