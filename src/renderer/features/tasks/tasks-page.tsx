import './tasks.css'
import { SquareTerminal, Search, Square } from 'lucide-react'
import { useCallback, useEffect, type ReactNode, useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { isAgentId } from '../../../shared/model/session/agent'
import { useLayout } from '../../state/page/layout-state'
import { titleOf, useSessions } from '../../state/session-list/sessions-state'
import { useTaskActions, type TaskActions } from '../../state/tasks/task-actions'
import { NO_USAGE, useUsage, useWatchUsage } from './task-usage'
import { useTask, useTasks, isListed } from '../../state/tasks/tasks-state'
import { Button } from '../../ui/button'
import { EmptyState, ErrorNote } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { OrphansBanner } from './processes'
import { TaskDetail } from './task-detail'
import { useTaskFilter, taskOrder, SHOWN, SORTS, type TaskStateFilter, type Sort } from './task-order'
import { TaskList } from './task-list'
import { projectFolder } from '../../../shared/model/project/scratch-folder'
import { folderName } from '../../format/folder-name'
import { ConfirmDialog } from '../../ui/overlay/confirm-dialog'
import { cx } from '../../ui/cx'

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

const SHOWN_LABELS: Record<TaskStateFilter, string> = { running: 'Running', ended: 'Ended', all: 'All' }
const SORT_LABELS: Record<Sort, string> = {
  newest: 'Newest',
  oldest: 'Oldest',
  cpu: 'CPU',
  memory: 'Memory',
  command: 'Command',
}
const SELECT = 'h-[27px] max-w-[180px] min-w-0 rounded-md border border-line bg-raised px-1.5 text-small text-ink-2'

/** The filters and the order of the tasks, and the button that stops them all. */
function TasksToolbar({ userHome, actions }: { userHome: string | undefined; actions: TaskActions }) {
  const filter = useTaskFilter()
  const counts = useTasks(useShallow((state) => countsOf(state.tasks.values())))
  const folders = useTasks(
    useShallow((state) => distinct([...state.tasks.values()].map(({ folder }) => folder && projectFolder(folder)))),
  )
  const sessionIds = useTasks(useShallow((state) => distinct([...state.tasks.values()].map((task) => task.sessionId))))
  const sessions = useSessions((state) => state.sessions)
  const titles = useMemo(
    () =>
      sessionIds.flatMap((sessionId) => {
        const summary = sessions.get(sessionId)
        return summary && (filter.folder === '' || projectFolder(summary.folder) === filter.folder)
          ? [{ sessionId, title: titleOf(summary) }]
          : []
      }),
    [sessionIds, sessions, filter.folder],
  )
  const [confirming, setConfirming] = useState(false)
  return (
    <div role="toolbar" aria-label="Which tasks" className="tasks-toolbar">
      <div role="group" aria-label="Status" className="flex flex-none rounded-md border border-line bg-raised p-px">
        {SHOWN.map((show) => (
          <button
            key={show}
            type="button"
            aria-pressed={filter.show === show}
            onClick={() => useTaskFilter.setState({ show })}
            className={cx(
              'h-[23px] rounded-[5px] px-2 text-small tabular-nums',
              filter.show === show ? 'bg-sunken font-medium text-ink' : 'text-ink-2 hover:text-ink',
            )}
          >
            {SHOWN_LABELS[show]} <span className="text-ink-3">{counts[show]}</span>
          </button>
        ))}
      </div>
      <div role="search" aria-label="Tasks" className="tasks-search">
        <Search aria-hidden className="size-[13px] flex-none" />
        <input
          type="text"
          value={filter.search}
          aria-label="Search tasks"
          placeholder="Search"
          spellCheck={false}
          className="h-full min-w-0 flex-1 bg-transparent text-small text-ink outline-none"
          onChange={(event) => useTaskFilter.setState({ search: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || filter.search === '') return
            event.stopPropagation()
            event.preventDefault()
            useTaskFilter.setState({ search: '' })
          }}
        />
      </div>
      {folders.length > 1 && (
        <select
          aria-label="Project"
          className={SELECT}
          value={filter.folder}
          onChange={(event) => useTaskFilter.setState({ folder: event.target.value, sessionId: '' })}
        >
          <option value="">All projects</option>
          {folders.map((folder) => (
            <option key={folder} value={folder}>
              {folderName(folder, userHome).name}
            </option>
          ))}
        </select>
      )}
      {titles.length > 1 && (
        <select
          aria-label="Session"
          className={SELECT}
          value={filter.sessionId}
          onChange={(event) => useTaskFilter.setState({ sessionId: event.target.value })}
        >
          <option value="">All sessions</option>
          {titles.map(({ sessionId, title }) => (
            <option key={sessionId} value={sessionId}>
              {title}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Order"
        className={SELECT}
        value={filter.sort}
        onChange={(event) =>
          useTaskFilter.setState({ sort: SORTS.find((sort) => sort === event.target.value) ?? 'newest' })
        }
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {SORT_LABELS[sort]}
          </option>
        ))}
      </select>
      <span className="flex-1" />
      {counts.background > 0 && (
        <Button size="small" variant="danger" icon={<Square aria-hidden />} onClick={() => setConfirming(true)}>
          Stop all…
        </Button>
      )}
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={counts.background === 1 ? 'Stop the running task?' : `Stop all ${counts.background} running tasks?`}
        action={counts.background === 1 ? 'Stop' : `Stop ${counts.background} tasks`}
        onConfirm={() => actions.stopAll()}
      >
        {counts.background === 1
          ? 'Stops it and everything it started. Its output is kept, and you can restart it.'
          : 'Stops the background tasks of all projects and sessions, with everything they started. ' +
            'Their output is kept, and you can restart each one.'}
      </ConfirmDialog>
    </div>
  )
}

function countsOf(tasks: Iterable<Parameters<typeof isListed>[0]>): Record<TaskStateFilter | 'background', number> {
  const counts = { running: 0, ended: 0, all: 0, background: 0 }
  for (const task of tasks) {
    if (!isListed(task)) continue
    counts.all += 1
    if (task.status === 'running') counts.running += 1
    else counts.ended += 1
    if (task.status === 'running' && task.background !== false) counts.background += 1
  }
  return counts
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort()
}
