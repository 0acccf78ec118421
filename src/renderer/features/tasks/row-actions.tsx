import { EllipsisVertical, RotateCw, Square } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import type { Task } from '../../../shared/model/task'
import type { TaskActions } from '../../state/task-actions'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { TaskMenuItems } from './task-menu'

interface RowActionsProps {
  task: Task
  actions: TaskActions
  /** The pointer or the focus is or was at the row. */
  near: boolean
  tabIndex: number
  onOpen: (taskId: string) => void
}

/** The buttons at the end of a row. Tooltip and menu are made for rows that one is at: for all that scroll by they would be most of the work. */
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
