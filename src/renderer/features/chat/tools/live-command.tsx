import { ArrowDownToLine, Square } from 'lucide-react'
import { use, useState } from 'react'
import type { Task } from '../../../../shared/model/task'
import type { ToolItem } from '../../../../shared/model/transcript-item'
import { useTaskActions } from '../../../state/task-actions'
import { useTask, useTaskOfCall } from '../../../state/tasks-state'
import { useSecond } from '../../../state/use-second'
import { Button } from '../../../ui/button'
import { Terminals } from './terminals'

/** A command that takes longer shows its terminal by itself. */
const SHOWN_AFTER_MS = 1000

/** Whether a call is a command that runs right now, its task, and whether its terminal is to be seen. */
export function useLiveCommand(item: ToolItem, open: boolean): { task: Task | undefined; shown: boolean; hide: () => void } {
  const { sessionId } = use(Terminals)
  const runs = item.name === 'Bash' && item.state === 'running'
  const found = useTaskOfCall(sessionId, runs ? item.callId : '')
  const task = runs ? found : undefined
  const [hidden, setHidden] = useState(false)
  const now = useSecond(task !== undefined && !open && !hidden)
  const asks = task?.prompt !== undefined
  const late = task !== undefined && now - item.at >= SHOWN_AFTER_MS
  return { task, shown: task !== undefined && (open || asks || (late && !hidden)), hide: () => setHidden(true) }
}

/** The terminal of a command that a call waits for. */
export function LiveCommand({ taskId }: { taskId: string }) {
  const { render } = use(Terminals)
  const task = useTask(taskId)
  const actions = useTaskActions()
  return render(
    taskId,
    task?.status === 'running' && (
      <>
        {task.background === false && (
          <Button
            size="small"
            variant="quiet"
            icon={<ArrowDownToLine aria-hidden />}
            title="The agent continues and is told when the command ends"
            onClick={() => actions.moveToBackground(task)}
          >
            Move to background
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          title="Stops the command; the agent is told"
          icon={<Square aria-hidden />}
          onClick={() => actions.stop(task)}
        >
          Stop
        </Button>
      </>
    ),
  )
}
