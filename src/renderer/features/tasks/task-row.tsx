import { memo, useState, type KeyboardEvent } from 'react'
import type { Task, TaskUsage } from '../../../shared/model/task'
import { answerTask } from '../../state/answer-task'
import { folderName } from '../../state/folder-name'
import { titleOf } from '../../state/ordered-sessions'
import { useSessions } from '../../state/sessions-state'
import { useTask } from '../../state/tasks-state'
import type { TaskActions } from '../../state/task-actions'
import { useUsage } from '../../state/task-usage'
import { useSecond } from '../../state/use-second'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dot } from '../../ui/dot'
import { SandboxWord } from '../../ui/sandbox-word'
import { distinctPorts, PortLink } from './port-link'
import { RowActions } from './row-actions'
import { Sparkline } from './sparkline'
import { endWords, isNamed, memory, percent, processWords, runtime, statusDot, statusWord, taskTitle, waits } from './task-words'

interface TaskRowProps {
  taskId: string
  selected: boolean
  /** Whether Tab comes to this row. */
  reachable: boolean
  userHome: string | undefined
  actions: TaskActions
  onOpen: (taskId: string) => void
  onFocus: (taskId: string) => void
}

/** One task of the list. Drawn again only when it, what it uses, or the second changes. */
export const TaskRow = memo(function TaskRow({ taskId, selected, reachable, userHome, actions, onOpen, onFocus }: TaskRowProps) {
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
      data-waits={waits(task) || undefined}
      className="task-row"
      onClick={() => onOpen(taskId)}
      onPointerEnter={() => setNear(true)}
      onFocus={() => onFocus(taskId)}
      onKeyDown={onKeyDown}
    >
      <Dot status={statusDot(task)} silent className="task-dot" />
      <div className="task-main">
        <div className="flex min-w-0 items-baseline gap-2">
          <button
            type="button"
            data-task-button
            tabIndex={tabIndex}
            aria-current={selected ? 'true' : undefined}
            aria-label={`${taskTitle(task)}, ${statusWord(task)}`}
            title={task.command}
            className="task-command"
            data-named={isNamed(task) || undefined}
          >
            {isNamed(task) ? task.description : task.command}
          </button>
          {isNamed(task) && (
            <code className="task-faint min-w-0 truncate" title={task.command}>
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
            .map(({ port, address }) => <PortLink key={port} port={port} address={address} tabIndex={tabIndex} />)}
      </div>
      <Numbers taskId={taskId} usage={runs ? usage : undefined} />
      <Runtime task={task} />
      <RowActions task={task} actions={actions} near={near || reachable} tabIndex={tabIndex} onOpen={onOpen} />
    </div>
  )
})

/** Below the command: how it stands, where it belongs, and what it said last. */
function TaskLine({ task, userHome, tabIndex }: { task: Task; userHome: string | undefined; tabIndex: number }) {
  const session = useSessions((state) => state.sessions.get(task.sessionId ?? ''))
  const end = endWords(task)
  const failed = task.status === 'failed' || task.status === 'timed_out' || task.status === 'lost'
  if (waits(task)) {
    return (
      <div className="task-line">
        <span className="task-ask">
          <span className="min-w-0 truncate">needs input: {task.prompt?.text || 'the program is waiting for input'}</span>
          <Button size="small" className="h-[20px]! px-1.5!" tabIndex={tabIndex} onClick={stopping(() => answerTask(task))}>
            Answer
          </Button>
        </span>
      </div>
    )
  }
  return (
    <div className="task-line">
      <span className={cx('flex-none', failed && 'text-fail-ink')}>
        {statusWord(task)}
        {end !== '' && ` · ${end}`}
      </span>
      {task.sandbox && <SandboxWord sandbox={task.sandbox} />}
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
      <span className="w-[46px]">{percent(usage.cpu)}</span>
      <span className="w-[58px]">{memory(usage.memoryBytes)}</span>
      <span className="task-count" title={processWords(count)}>
        <span aria-hidden>{count}</span>
        <span className="sr-only">{processWords(count)}</span>
      </span>
    </div>
  )
}

function Runtime({ task }: { task: Task }) {
  const now = useSecond(task.status === 'running')
  return <span className="task-time">{runtime((task.endedAt ?? Math.max(now, task.startedAt)) - task.startedAt)}</span>
}

/** A click that is not one on the row. */
function stopping(act: () => void): (event: { stopPropagation(): void }) => void {
  return (event) => {
    event.stopPropagation()
    act()
  }
}
