import './tasks.css'
import { SquareTerminal } from 'lucide-react'
import { useCallback, useEffect, type ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { isAgentId } from '../../../shared/model/agent'
import { useLayout } from '../../state/page/layout-state'
import { titleOf, useSessions } from '../../state/session/sessions-state'
import { useTaskActions } from '../../state/task-actions'
import { NO_USAGE, useUsage, useWatchUsage } from './task-usage'
import { useTask, useTasks } from '../../state/tasks-state'
import { Button } from '../../ui/button'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { OrphansBanner } from './processes'
import { TaskDetail } from './task-detail'
import { useTaskFilter, taskOrder } from './task-order'
import { TaskList } from './task-list'
import { TasksToolbar } from './tasks-toolbar'

interface TasksPageProps {
  /** The task whose terminal is open. */
  taskId: string | undefined
  userHome: string | undefined
  connected: boolean
  renderTerminal: (taskId: string) => ReactNode
}

/** All tasks of all projects and sessions, live, with the terminal of one of them below. */
export function TasksPage({ taskId, userHome, connected, renderTerminal }: TasksPageProps) {
  const loaded = useTasks((state) => state.loaded)
  const failure = useTasks((state) => state.failure)
  const some = useTasks((state) => state.tasks.size > 0)
  const task = useTask(taskId)
  const actions = useTaskActions()
  const ids = useOrder()
  useWatchUsage(connected)
  useEffect(() => {
    // Samples from before a disconnect are outdated.
    if (!connected) useUsage.setState(NO_USAGE)
  }, [connected])
  const open = useCallback((id: string) => openTask(id), [])
  const close = useCallback(() => useLayout.getState().openTasks(), [])

  return (
    <div className="tasks-page" data-stale={!connected || undefined}>
      <OrphansBanner />
      {failure && <ErrorNote failure={failure} className="m-3" />}
      {!loaded && !failure ? (
        <div role="status" aria-label="Loading the tasks" className="space-y-4 px-[18px] py-4">
          {['w-3/5', 'w-2/5', 'w-1/2'].map((width) => (
            <Skeleton key={width} className={width} />
          ))}
        </div>
      ) : !some ? (
        <EmptyState icon={<SquareTerminal aria-hidden />} title="No tasks yet" className="m-auto">
          Servers, watchers and long builds that the agent starts in the background appear here, with their terminals.
          They keep running when you close this window.
        </EmptyState>
      ) : (
        <>
          <TasksToolbar userHome={userHome} actions={actions} />
          {ids.length === 0 ? (
            <EmptyState
              className="m-auto"
              title="No matching tasks"
              actions={
                <Button
                  size="small"
                  onClick={() => useTaskFilter.setState({ show: 'all', folder: '', sessionId: '', search: '' })}
                >
                  Show all
                </Button>
              }
            />
          ) : (
            <TaskList ids={ids} selected={taskId} userHome={userHome} actions={actions} onOpen={open} />
          )}
        </>
      )}
      {task && !task.agent && (
        <TaskDetail
          key={task.taskId}
          task={task}
          userHome={userHome}
          actions={actions}
          terminal={renderTerminal(task.taskId)}
          onOpen={open}
          onClose={close}
        />
      )}
    </div>
  )
}

/** A subagent opens in its conversation. */
function openTask(taskId: string): void {
  if (isAgentId(taskId)) useLayout.getState().openSession(taskId)
  else useLayout.getState().openTasks(taskId)
}

/** The IDs in order; the same array while the order is unchanged, however much is printed. */
function useOrder(): string[] {
  const filter = useTaskFilter()
  const usage = useUsage((state) => (filter.sort === 'cpu' || filter.sort === 'memory' ? state.usage : NO_USAGE.usage))
  const sessions = useSessions((state) => (filter.search === '' ? undefined : state.sessions))
  const titles = (sessionId: string): string => {
    const summary = sessions?.get(sessionId)
    return summary ? titleOf(summary) : ''
  }
  return useTasks(useShallow(({ tasks }) => taskOrder({ tasks, usage, titles }, filter)))
}
