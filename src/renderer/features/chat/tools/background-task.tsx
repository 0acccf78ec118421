import { ArrowUpRight } from 'lucide-react'
import { use } from 'react'
import type { Task, TaskStatus } from '../../../../shared/model/task'
import type { ToolDetails } from '../../../../shared/model/preview'
import { useLayout } from '../../../state/layout-state'
import { useTask } from '../../../state/tasks-state'
import { useSecond } from '../../../state/use-second'
import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/content/copy-button'
import { TerminalText } from '../../../ui/content/terminal-text'
import { Dot, type DotStatus } from '../../../ui/dot'
import { clock } from './elapsed'
import { LiveCommand } from './live-command'
import { Terminals } from './terminals'

const WORDS: Record<TaskStatus, string> = {
  running: 'runs in the background',
  completed: 'has completed',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'was lost',
}
const DOTS: Record<TaskStatus, DotStatus> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  stopped: 'idle',
  timed_out: 'failed',
  lost: 'interrupted',
}

type TaskDetails = Extract<ToolDetails, { kind: 'task' }>

/** A command in the background: how it stands now, its terminal while it runs, and what it had printed when the call returned. */
export function BackgroundTask({ details }: { details: TaskDetails }) {
  const { sessionId } = use(Terminals)
  const task = useTask(details.task.taskId) ?? details.task
  const runs = task.status === 'running'
  const now = useSecond(runs)
  const seconds = Math.max(0, Math.floor(((task.endedAt ?? now) - task.startedAt) / 1000))
  return (
    <>
      {runs && sessionId !== '' ? (
        <LiveCommand taskId={task.taskId} />
      ) : (
        <TerminalText
          text={`\u001b[2m$ ${task.command.trim()}\u001b[0m\n${details.text === '' ? '\u001b[2m(no output)\u001b[0m' : details.text}`}
        />
      )}
      <p className="tool-meta">
        <span className="inline-flex items-center gap-1.5">
          <Dot status={task.prompt && runs ? 'waiting' : DOTS[task.status]} silent />
          {task.prompt && runs ? 'needs input' : WORDS[task.status]}
          {task.exitCode !== undefined && `, exit ${task.exitCode}`}
        </span>
        <span>{clock(seconds)}</span>
        <span className="tool-path" title={task.outputPath}>
          <span>{task.outputPath}</span>
          <CopyButton text={task.outputPath} label="Copy the path of the log" />
        </span>
        <Button size="small" variant="quiet" onClick={() => useLayout.getState().openTasks(task.taskId)}>
          Show in Tasks <ArrowUpRight aria-hidden />
        </Button>
      </p>
    </>
  )
}

/** At the right end of the call's row: how its task stands by now. */
export function BackgroundOutcome({ task: before }: { task: Task }) {
  const task = useTask(before.taskId) ?? before
  const waits = task.status === 'running' && task.prompt !== undefined
  return (
    <>
      <Dot status={waits ? 'waiting' : DOTS[task.status]} silent />
      {waits
        ? 'needs input'
        : task.status === 'running'
          ? 'in the background'
          : `background: ${WORDS[task.status].replace(/^(has|was) /, '')}`}
    </>
  )
}
