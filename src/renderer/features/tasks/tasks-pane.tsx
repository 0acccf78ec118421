import './tasks.css'
import { ArrowUpRight, SquareTerminal } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { isAgentId } from '../../../shared/model/session/agent'
import type { Task } from '../../../shared/model/task/task'
import { answerTask, useTask, useTasks } from '../../state/tasks/tasks-state'
import { useLayout } from '../../state/page/layout-state'
import { useTaskActions } from '../../state/tasks/task-actions'
import { useUsage, useWatchUsage, distinctPorts, PortLink, Sparkline } from './task-usage'
import { useNowEachSecond } from '../../ui/content/elapsed'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { StatusDot } from '../../ui/badge'
import { SandboxLabel } from '../../ui/content/sandbox-note'
import { EmptyState } from '../../ui/notice'
import { taskOrder } from './task-order'
import {
  endText,
  isNamed,
  formatMemory,
  formatPercent,
  processCountText,
  formatRuntime,
  statusDot,
  statusLabel,
  isWaitingForInput,
} from './task-text'

/** Further ended tasks are only on the page of all tasks. */
const MAX_ENDED = 20

interface TasksPaneProps {
  sessionId: string
  renderTerminal: (taskId: string) => ReactNode
}

/** The tasks of one session, compact: each with its state, and its terminal on request. */
export function TasksPane({ sessionId, renderTerminal }: TasksPaneProps) {
  const ids = useTasks(useShallow((state) => idsOf(state.tasks, sessionId)))
  const [open, setOpen] = useState<string>()
  useWatchUsage(ids.length > 0)
  if (ids.length === 0) {
    return (
      <EmptyState
        icon={<SquareTerminal aria-hidden />}
        title="No tasks in this session"
        actions={
          <Button size="small" onClick={() => useLayout.getState().openTasks()}>
            All tasks
          </Button>
        }
      >
        Tasks that the agent starts in the background appear here, with their terminals.
      </EmptyState>
    )
  }
  return (
    <>
      <ul>
        {ids.map((taskId) => (
          <li key={taskId}>
            <PaneTask
              taskId={taskId}
              open={open === taskId}
              onToggle={() => {
                if (isAgentId(taskId)) useLayout.getState().openSession(taskId)
                else setOpen(open === taskId ? undefined : taskId)
              }}
              terminal={renderTerminal}
            />
          </li>
        ))}
      </ul>
      <div className="px-3 py-2">
        <Button size="small" variant="quiet" onClick={() => useLayout.getState().openTasks()}>
          All tasks
        </Button>
      </div>
    </>
  )
}

function idsOf(tasks: ReadonlyMap<string, Task>, sessionId: string): string[] {
  const ids = taskOrder(
    { tasks, usage: new Map(), titles: () => '' },
    { show: 'all', folder: '', sessionId, search: '', sort: 'newest' },
  )
  const running = ids.filter((id) => tasks.get(id)?.status === 'running')
  return [...running, ...ids.slice(running.length, running.length + MAX_ENDED)]
}

interface PaneTaskProps {
  taskId: string
  open: boolean
  onToggle: () => void
  terminal: (taskId: string) => ReactNode
}

function PaneTask({ taskId, open, onToggle, terminal }: PaneTaskProps) {
  const task = useTask(taskId)
  const usage = useUsage((state) => state.usage.get(taskId))
  const history = useUsage((state) => state.history.get(taskId))
  const actions = useTaskActions()
  const now = useNowEachSecond(task?.status === 'running')
  if (!task) return null
  const runs = task.status === 'running'
  const end = endText(task)
  const failed = task.status === 'failed' || task.status === 'timed_out' || task.status === 'lost'
  return (
    <div className="pane-task">
      <button
        type="button"
        aria-expanded={task.agent ? undefined : open}
        className="pane-task-head"
        onClick={onToggle}
        title={task.command}
      >
        <StatusDot status={statusDot(task)} silent />
        <span className="min-w-0 flex-1">
          {isNamed(task) && <span className="block truncate text-left text-ink">{task.description}</span>}
          <span
            className={cx('block truncate text-left font-mono text-small', isNamed(task) ? 'text-ink-3' : 'text-ink')}
          >
            {task.command}
          </span>
        </span>
        <span className="sr-only">{statusLabel(task)}</span>
        {task.sandbox && <SandboxLabel sandbox={task.sandbox} />}
        <span className="flex-none text-small text-ink-3 tabular-nums">
          {formatRuntime((task.endedAt ?? Math.max(now, task.startedAt)) - task.startedAt)}
        </span>
      </button>
      {isWaitingForInput(task) ? (
        <div className="pane-task-ask">
          <span className="min-w-0 flex-1">
            {task.prompt?.text ? `Asks “${task.prompt.text}” in its terminal.` : 'Waiting for input.'} Your input stays
            there.
          </span>
          <button
            type="button"
            className="font-semibold"
            onClick={() => {
              if (!open) onToggle()
              answerTask(task)
            }}
          >
            Answer
          </button>
        </div>
      ) : (
        <div className="pane-task-line">
          {runs ? (
            usage && (
              <>
                <span>{processCountText(usage.processes.length)}</span>
                <span>
                  {formatPercent(usage.cpu)} · {formatMemory(usage.memoryBytes)}
                </span>
                {distinctPorts(usage.ports).map(({ port, address }) => (
                  <PortLink key={port} port={port} address={address} place={task.place} />
                ))}
                <Sparkline values={history ?? []} />
              </>
            )
          ) : (
            <span className={failed ? 'flex-none text-fail-ink' : 'flex-none'}>
              {statusLabel(task)}
              {end !== '' && ` · ${end}`}
            </span>
          )}
          {!open && <span className="min-w-0 truncate">{task.stopReason ?? task.problem ?? task.lastLine}</span>}
        </div>
      )}
      {open && (
        <div className="pt-2">
          {terminal(taskId)}
          <div className="flex gap-1 pt-1.5">
            {runs ? (
              <Button size="small" variant="danger" onClick={() => actions.stop(task)}>
                Stop
              </Button>
            ) : (
              <Button size="small" onClick={() => void actions.restart(task)}>
                Start again
              </Button>
            )}
            <Button size="small" variant="quiet" onClick={() => useLayout.getState().openTasks(taskId)}>
              Open <ArrowUpRight aria-hidden />
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}
