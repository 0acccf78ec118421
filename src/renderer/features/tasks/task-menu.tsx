import { Bot, Copy, Download, MessageSquare, RotateCw, Send, SquareTerminal, Square, ArrowDownToLine } from 'lucide-react'
import { isAgentId } from '../../../shared/model/agent'
import type { Task } from '../../../shared/model/task'
import type { TaskActions } from '../../state/task-actions'
import { MenuItem, MenuSeparator } from '../../ui/menu'

interface TaskMenuItemsProps {
  task: Task
  actions: TaskActions
  onOpen: (taskId: string) => void
}

/** Everything that can be done with one task. */
export function TaskMenuItems({ task, actions, onOpen }: TaskMenuItemsProps) {
  const runs = task.status === 'running'
  const restart = async (): Promise<void> => {
    const next = await actions.restart(task)
    if (next) onOpen(next.taskId)
  }
  return (
    <>
      <MenuItem icon={task.agent ? <Bot aria-hidden /> : <SquareTerminal aria-hidden />} kbd="Enter" onSelect={() => onOpen(task.taskId)}>
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
