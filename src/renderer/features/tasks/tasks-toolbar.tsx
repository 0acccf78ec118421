import { Search, Square } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { projectFolder } from '../../../shared/model/scratch-folder'
import type { TaskActions } from '../../state/task-actions'
import { folderName } from '../../format/folder-name'
import { titleOf, useSessions } from '../../state/session/sessions-state'
import { isListed, useTasks } from '../../state/tasks-state'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { cx } from '../../ui/cx'
import { useTaskFilter, SHOWN, SORTS, type TaskStateFilter, type Sort } from './task-order'

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
export function TasksToolbar({ userHome, actions }: { userHome: string | undefined; actions: TaskActions }) {
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
        Stops the background tasks of all projects and sessions, with everything they started. Their output is kept, and
        you can restart each one.
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
