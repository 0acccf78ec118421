import {
  Bot,
  Copy,
  Download,
  MessageSquare,
  RotateCw,
  Send,
  SquareTerminal,
  Square,
  ArrowDownToLine,
  EllipsisVertical,
} from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import { isAgentId } from '../../../shared/model/session/agent'
import type { Task } from '../../../shared/model/task/task'
import type { TaskActions } from '../../state/tasks/task-actions'
import { MenuItem, MenuSeparator, Menu } from '../../ui/overlay/menu'
import { IconButton } from '../../ui/button'

interface TaskMenuItemsProps {
  task: Task
  actions: TaskActions
  onOpen: (taskId: string) => void
}

/** All actions on one task. */
export function TaskMenuItems({ task, actions, onOpen }: TaskMenuItemsProps) {
  const runs = task.status === 'running'
  const restart = async (): Promise<void> => {
    const next = await actions.restart(task)
    if (next) onOpen(next.taskId)
  }
  return (
    <>
      <MenuItem
        icon={task.agent ? <Bot aria-hidden /> : <SquareTerminal aria-hidden />}
        kbd="Enter"
        onSelect={() => onOpen(task.taskId)}
      >
        {task.agent ? 'Open its conversation' : 'Open the terminal'}
      </MenuItem>
      {task.sessionId !== undefined && (
        <>
          <MenuItem icon={<MessageSquare aria-hidden />} onSelect={() => actions.goToSession(task)}>
            Go to its session
          </MenuItem>
          <MenuItem icon={<Send aria-hidden />} onSelect={() => actions.sendToSession(task)}>
            Send the output to its session
          </MenuItem>
        </>
      )}
      {!task.agent && (
        <>
          <MenuItem icon={<Copy aria-hidden />} onSelect={() => actions.copyCommand(task)}>
            Copy the command
          </MenuItem>
          <MenuItem icon={<Download aria-hidden />} onSelect={() => actions.download(task)}>
            Download the log
          </MenuItem>
        </>
      )}
      {(runs || !task.agent) && <MenuSeparator />}
      {runs && task.background === false && !isAgentId(task.sessionId ?? '') && (
        <MenuItem icon={<ArrowDownToLine aria-hidden />} onSelect={() => actions.moveToBackground(task)}>
          Move to background
        </MenuItem>
      )}
      {runs ? (
        <MenuItem icon={<Square aria-hidden />} kbd="Del" danger onSelect={() => actions.stop(task)}>
          Stop process tree
        </MenuItem>
      ) : task.agent ? null : (
        <MenuItem icon={<RotateCw aria-hidden />} onSelect={() => void restart()}>
          Start again
        </MenuItem>
      )}
    </>
  )
}

interface RowActionsProps {
  task: Task
  actions: TaskActions
  /** The pointer or the focus is or was on the row. */
  near: boolean
  tabIndex: number
  onOpen: (taskId: string) => void
}

/**
 * The buttons at the end of a row. Tooltip and menu are rendered only for rows that were hovered or focused: for all
 * rows they would cost the most.
 */
export function RowActions({ task, actions, near, tabIndex, onOpen }: RowActionsProps) {
  const [open, setOpen] = useState(false)
  const runs = task.status === 'running'
  const Button = near ? IconButton : LightButton
  const act = async (): Promise<void> => {
    if (runs) return actions.stop(task)
    const next = await actions.restart(task)
    if (next) onOpen(next.taskId)
  }
  const more = (
    <Button label="More" tabIndex={tabIndex} {...(!near && { onClick: () => setOpen(true) })}>
      <EllipsisVertical aria-hidden />
    </Button>
  )
  const isOver = task.agent !== undefined && !runs
  return (
    <div role="presentation" className="task-acts" onClick={(event) => event.stopPropagation()}>
      {!isOver && (
        <Button
          label={runs ? 'Stop process tree' : 'Start again'}
          {...(runs && { kbd: 'Del' })}
          tabIndex={tabIndex}
          onClick={() => void act()}
        >
          {runs ? <Square aria-hidden /> : <RotateCw aria-hidden />}
        </Button>
      )}
      {near || open ? (
        <Menu label={`Actions for ${task.command}`} align="end" open={open} onOpenChange={setOpen} trigger={more}>
          <TaskMenuItems task={task} actions={actions} onOpen={onOpen} />
        </Menu>
      ) : (
        more
      )}
    </div>
  )
}

function LightButton({ label, kbd: _kbd, tooltipSide: _side, ...rest }: ComponentProps<typeof IconButton>) {
  return <button type="button" aria-label={label} {...rest} className="task-light-button" />
}
