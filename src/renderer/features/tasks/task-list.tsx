import { useCallback, useEffect, useRef, useState, type KeyboardEvent, memo } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { TaskActions } from '../../state/tasks/task-actions'
import type { Task, TaskUsage } from '../../../shared/model/task/task'
import { answerTask, useTask } from '../../state/tasks/tasks-state'
import { folderName } from '../../format/folder-name'
import { titleOf, useSessions } from '../../state/session-list/sessions-state'
import { useUsage, distinctPorts, PortLink, Sparkline } from './task-usage'
import { useNowEachSecond } from '../../ui/content/elapsed'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { StatusDot } from '../../ui/badge'
import { SandboxLabel } from '../../ui/content/sandbox-note'
import { RowActions } from './task-menu'
import {
  endText,
  isNamed,
  formatMemory,
  formatPercent,
  processCountText,
  formatRuntime,
  statusDot,
  statusLabel,
  taskTitle,
  isWaitingForInput,
} from './task-text'

interface TaskListProps {
  ids: readonly string[]
  selected: string | undefined
  userHome: string | undefined
  actions: TaskActions
  onOpen: (taskId: string) => void
}

/** Row height in px; the same as in tasks.css. */
const ROW = 50

/** The tasks as a virtualized list: only rows near the viewport are in the document. Up and Down move between rows. */
export function TaskList({ ids, selected, userHome, actions, onOpen }: TaskListProps) {
  const list = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const reachable = focused !== undefined && ids.includes(focused) ? focused : (selected ?? ids[0])

  const focusRow = useCallback((taskId: string): void => {
    box.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(taskId)}"] [data-task-button]`)?.focus()
  }, [])
  useEffect(() => {
    // Scroll once to a task that was selected elsewhere.
    const index = selected === undefined ? -1 : ids.indexOf(selected)
    if (index >= 0) list.current?.scrollToIndex(index, { align: 'nearest' })
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [selected])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.closest('[data-task]') === null) return
    const from = reachable === undefined ? -1 : ids.indexOf(reachable)
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: ids.length - 1 }[event.key]
    const next = to === undefined ? undefined : ids[to]
    if (to === undefined || next === undefined) return
    event.preventDefault()
    setFocused(next)
    list.current?.scrollToIndex(to, { align: 'nearest' })
    requestAnimationFrame(() => focusRow(next))
  }

  return (
    <div ref={box} role="presentation" className="task-list" onKeyDown={onKeyDown}>
      <VList ref={list} role="list" aria-label="Tasks" data={ids} itemSize={ROW} item="div">
        {(taskId) => (
          <div role="listitem" key={taskId}>
            <TaskRow
              taskId={taskId}
              selected={taskId === selected}
              reachable={taskId === reachable}
              userHome={userHome}
              actions={actions}
              onOpen={onOpen}
              onFocus={setFocused}
            />
          </div>
        )}
      </VList>
    </div>
  )
}

interface TaskRowProps {
  taskId: string
  selected: boolean
  /** Whether the row is in the tab order. */
  reachable: boolean
  userHome: string | undefined
  actions: TaskActions
  onOpen: (taskId: string) => void
  onFocus: (taskId: string) => void
}

/** One task of the list. Re-renders only when the task, its usage, or the second changes. */
const TaskRow = memo(function TaskRow({
  taskId,
  selected,
  reachable,
  userHome,
  actions,
  onOpen,
  onFocus,
}: TaskRowProps) {
  const task = useTask(taskId)
  const usage = useUsage((state) => state.usage.get(taskId))
  const [near, setNear] = useState(false)
  if (!task) return null
  const runs = task.status === 'running'
  const tabIndex = reachable ? 0 : -1
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Delete' || !runs) return
    event.preventDefault()
    actions.stop(task)
  }
  return (
    <div
      role="presentation"
      data-task={taskId}
      data-selected={selected || undefined}
      data-waits={isWaitingForInput(task) || undefined}
      className="task-row"
      onClick={() => onOpen(taskId)}
      onPointerEnter={() => setNear(true)}
      onFocus={() => onFocus(taskId)}
      onKeyDown={onKeyDown}
    >
      <StatusDot status={statusDot(task)} silent className="task-dot" />
      <div className="task-main">
        <div className="flex min-w-0 items-baseline gap-2">
          <button
            type="button"
            data-task-button
            tabIndex={tabIndex}
            aria-current={selected ? 'true' : undefined}
            aria-label={`${taskTitle(task)}, ${statusLabel(task)}`}
            title={task.command}
            className="task-command"
            data-named={isNamed(task) || undefined}
          >
            {isNamed(task) ? task.description : task.command}
          </button>
          {isNamed(task) && (
            <code className="task-faint min-w-0 truncate max-[560px]:hidden" title={task.command}>
              {task.command}
            </code>
          )}
          {task.background === false && <span className="task-faint flex-none">in the foreground</span>}
        </div>
        <TaskLine task={task} userHome={userHome} tabIndex={tabIndex} />
      </div>
      <div className="task-ports">
        {runs &&
          distinctPorts(usage?.ports ?? [])
            .slice(0, 3)
            .map(({ port, address }) => (
              <PortLink key={port} port={port} address={address} place={task.place} tabIndex={tabIndex} />
            ))}
      </div>
      <Numbers taskId={taskId} usage={runs ? usage : undefined} />
      <Runtime task={task} />
      <RowActions task={task} actions={actions} near={near || reachable} tabIndex={tabIndex} onOpen={onOpen} />
    </div>
  )
})

/** Below the command: its status, its session, and its last output. */
function TaskLine({ task, userHome, tabIndex }: { task: Task; userHome: string | undefined; tabIndex: number }) {
  const session = useSessions((state) => state.sessions.get(task.sessionId ?? ''))
  const end = endText(task)
  const failed = task.status === 'failed' || task.status === 'timed_out' || task.status === 'lost'
  if (isWaitingForInput(task)) {
    return (
      <div className="task-line">
        <span className="task-ask">
          <span className="min-w-0 truncate">
            needs input: {task.prompt?.text || 'the program is waiting for input'}
          </span>
          <Button
            size="small"
            className="h-[20px]! px-1.5!"
            tabIndex={tabIndex}
            onClick={withoutRowClick(() => answerTask(task))}
          >
            Answer
          </Button>
        </span>
      </div>
    )
  }
  return (
    <div className="task-line">
      <span className={cx('flex-none', failed && 'text-fail-ink')}>
        {statusLabel(task)}
        {end !== '' && ` · ${end}`}
      </span>
      {task.sandbox && <SandboxLabel sandbox={task.sandbox} />}
      <span className="task-place">
        {task.folder !== undefined && folderName(task.folder, userHome).name}
        {session && ` · ${titleOf(session)}`}
      </span>
      {task.problem !== undefined ? (
        <span className="min-w-0 truncate text-fail-ink" title={task.problem}>
          {task.problem}
        </span>
      ) : (
        <span className="task-last" title={task.stopReason ?? task.lastLine}>
          {task.stopReason ?? task.lastLine}
        </span>
      )}
    </div>
  )
}

function Numbers({ taskId, usage }: { taskId: string; usage: TaskUsage | undefined }) {
  const history = useUsage((state) => state.history.get(taskId))
  if (!usage) return <div className="task-numbers" />
  const count = usage.processes.length
  return (
    <div className="task-numbers">
      <Sparkline values={history ?? []} />
      <span className="w-[46px]">{formatPercent(usage.cpu)}</span>
      <span className="w-[58px]">{formatMemory(usage.memoryBytes)}</span>
      <span className="task-count" title={processCountText(count)}>
        <span aria-hidden>{count}</span>
        <span className="sr-only">{processCountText(count)}</span>
      </span>
    </div>
  )
}

function Runtime({ task }: { task: Task }) {
  const now = useNowEachSecond(task.status === 'running')
  return (
    <span className="task-time">{formatRuntime((task.endedAt ?? Math.max(now, task.startedAt)) - task.startedAt)}</span>
  )
}

/** A click handler that does not also click the row. */
function withoutRowClick(act: () => void): (event: { stopPropagation(): void }) => void {
  return (event) => {
    event.stopPropagation()
    act()
  }
}
