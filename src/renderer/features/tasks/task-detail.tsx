import { ArrowDownToLine, EllipsisVertical, RotateCw, Send, Square, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Task } from '../../../shared/model/task/task'
import { shortPath } from '../../format/folder-name'
import type { TaskActions } from '../../state/tasks/task-actions'
import { useUsage, distinctPorts, PortLink } from './task-usage'
import { Button, IconButton } from '../../ui/button'
import { cx } from '../../ui/cx'
import { StatusDot } from '../../ui/badge'
import { Menu } from '../../ui/overlay/menu'
import { SandboxLabel } from '../../ui/content/sandbox-note'
import { ProcessTree } from './processes'
import { TaskMenuItems } from './task-menu'
import { endText, isNamed, processCountText, statusDot, statusLabel, isWaitingForInput } from './task-text'

interface TaskDetailProps {
  task: Task
  userHome: string | undefined
  actions: TaskActions
  terminal: ReactNode
  onOpen: (taskId: string) => void
  onClose: () => void
}

/** Details of one task: its actions, its processes, and its terminal. */
export function TaskDetail({ task, userHome, actions, terminal, onOpen, onClose }: TaskDetailProps) {
  const usage = useUsage((state) => state.usage.get(task.taskId))
  const [tree, setTree] = useState(false)
  const runs = task.status === 'running'
  const end = endText(task)
  const count = usage?.processes.length ?? 0
  const restart = async (): Promise<void> => {
    const next = await actions.restart(task)
    if (next) onOpen(next.taskId)
  }
  return (
    <section aria-label={`Task: ${task.command}`} className="task-detail">
      <header className="task-detail-head">
        <StatusDot status={statusDot(task)} silent />
        <div className="min-w-0 flex-1">
          <h2 className={cx('truncate text-ui font-medium', !isNamed(task) && 'font-mono')} title={task.command}>
            {isNamed(task) ? task.description : task.command}
          </h2>
          <p className="flex min-w-0 gap-2 text-tiny text-ink-3">
            <span className={cx('flex-none', isWaitingForInput(task) && 'text-wait-ink')}>
              {statusLabel(task)}
              {end !== '' && ` · ${end}`}
            </span>
            {task.sandbox && <SandboxLabel sandbox={task.sandbox} />}
            <span className="min-w-0 truncate" title={task.cwd}>
              {isNamed(task) && <code>{task.command} · </code>}
              {shortPath(task.cwd, userHome)}
            </span>
          </p>
        </div>
        {runs && count > 0 && (
          <Button size="small" variant="quiet" aria-expanded={tree} onClick={() => setTree(!tree)}>
            {processCountText(count)}
          </Button>
        )}
        {runs &&
          distinctPorts(usage?.ports ?? []).map(({ port, address }) => (
            <PortLink key={port} port={port} address={address} place={task.place} />
          ))}
        {runs && task.background === false && (
          <Button size="small" icon={<ArrowDownToLine aria-hidden />} onClick={() => actions.moveToBackground(task)}>
            <span className="max-mid:sr-only">Move to background</span>
          </Button>
        )}
        {task.sessionId !== undefined && (
          <Button size="small" icon={<Send aria-hidden />} onClick={() => actions.sendToSession(task)}>
            <span className="max-mid:sr-only">Send to session</span>
          </Button>
        )}
        {runs ? (
          <Button size="small" variant="danger" icon={<Square aria-hidden />} onClick={() => actions.stop(task)}>
            Stop
          </Button>
        ) : (
          <Button size="small" icon={<RotateCw aria-hidden />} onClick={() => void restart()}>
            Start again
          </Button>
        )}
        <Menu
          label="Actions"
          align="end"
          trigger={
            <IconButton label="More">
              <EllipsisVertical aria-hidden />
            </IconButton>
          }
        >
          <TaskMenuItems task={task} actions={actions} onOpen={onOpen} />
        </Menu>
        <IconButton label="Close the terminal" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </header>
      {task.problem !== undefined && (
        <p role="status" className="flex-none bg-fail-bg px-[18px] py-1 text-small text-fail-ink">
          {task.problem}
        </p>
      )}
      {tree && usage && count > 0 && (
        <div className="max-h-[38%] flex-none overflow-y-auto border-b border-line">
          <ProcessTree processes={usage.processes} />
        </div>
      )}
      {terminal}
    </section>
  )
}
