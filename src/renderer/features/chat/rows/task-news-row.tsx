import { Bot, SquareTerminal } from 'lucide-react'
import { memo, useState } from 'react'
import type { TaskNews } from '../../../../shared/model/task'
import type { NewsItem } from '../../../../shared/model/transcript-item'
import { PlainText } from '../tools/plain-text'

const WORDS: Record<TaskNews['status'], string> = {
  running: 'is still running',
  completed: 'has completed',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'was lost',
}

/** What Trestle told the agent of its background tasks: one line for each, and on request what the model read. */
export const TaskNewsRow = memo(function TaskNewsRow({ item }: { item: NewsItem }) {
  const [open, setOpen] = useState(false)
  return (
    <div>
      {item.tasks.map((task, n) => (
        <p key={task.taskId} className="notice">
          {task.agent ? <Bot aria-hidden /> : <SquareTerminal aria-hidden />}
          <span className="min-w-0">
            <span className="sr-only">Task update: </span>
            <Name task={task} /> {WORDS[task.status]}
            {task.exitCode !== undefined && task.exitCode !== 0 ? ` with exit code ${task.exitCode}` : ''}
          </span>
          {n === item.tasks.length - 1 && (
            <button
              type="button"
              className="shrink-0 text-ink-2 underline underline-offset-2"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {open ? 'Show less' : 'Message to the agent'}
            </button>
          )}
        </p>
      ))}
      {open && <PlainText text={item.text} label="Message to the agent" />}
    </div>
  )
})

function Name({ task }: { task: TaskNews }) {
  if (task.description !== undefined) return <span className="text-ink-2">{task.description}</span>
  return <code>{task.command || task.taskId}</code>
}
