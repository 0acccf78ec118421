import { ArrowUpRight, ArrowDownToLine, Square } from 'lucide-react'
import { use, useState, createContext, type ReactNode } from 'react'
import type { Task, TaskStatus } from '../../../../shared/model/task/task'
import type { ToolDetails } from '../../../../shared/model/approval/preview'
import { useLayout } from '../../../state/page/layout-state'
import { useTask, useTaskOfCall } from '../../../state/tasks/tasks-state'
import { useNowEachSecond, formatElapsed } from '../../../ui/content/elapsed'
import { Button } from '../../../ui/button'
import { CopyButton } from '../../../ui/content/copy-button'
import { TerminalText } from '../../../ui/content/terminal-text'
import { StatusDot, type DotStatus } from '../../../ui/badge'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { useTaskActions } from '../../../state/tasks/task-actions'
import { duration } from '../../../format/relative-time'
import { describeSandbox } from '../../../../shared/model/task/sandbox'

const COMMAND_STATUS_LABELS: Record<TaskStatus, string> = {
  running: 'runs in the background',
  completed: 'has completed',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'ended unexpectedly',
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

/**
 * A command in the background: its current state, its terminal while it runs, and its output up to the end of the call.
 */
export function BackgroundTask({ details }: { details: TaskDetails }) {
  const { sessionId } = use(TerminalsContext)
  const task = useTask(details.task.taskId) ?? details.task
  const runs = task.status === 'running'
  const now = useNowEachSecond(runs)
  const seconds = Math.max(0, Math.floor(((task.endedAt ?? now) - task.startedAt) / 1000))
  return (
    <>
      {runs && sessionId !== '' ? (
        <LiveCommand taskId={task.taskId} />
      ) : (
        <TerminalText
          text={
            `\u001b[2m$ ${task.command.trim()}\u001b[0m\n` +
            (details.text === '' ? '\u001b[2m(no output)\u001b[0m' : details.text)
          }
        />
      )}
      <p className="tool-meta">
        <span className="inline-flex items-center gap-1.5">
          <StatusDot status={task.prompt && runs ? 'waiting' : DOTS[task.status]} silent />
          {task.prompt && runs ? 'needs input' : COMMAND_STATUS_LABELS[task.status]}
          {task.exitCode !== undefined && `, exit ${task.exitCode}`}
        </span>
        <span>{formatElapsed(seconds)}</span>
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

/** At the right end of the call's row: the current state of its task. */
export function BackgroundOutcome({ task: before }: { task: Task }) {
  const task = useTask(before.taskId) ?? before
  const waits = task.status === 'running' && task.prompt !== undefined
  return (
    <>
      <StatusDot status={waits ? 'waiting' : DOTS[task.status]} silent />
      {waits
        ? 'needs input'
        : task.status === 'running'
          ? 'in the background'
          : `background: ${COMMAND_STATUS_LABELS[task.status].replace(/^(has|was) /, '')}`}
    </>
  )
}

/** A command that runs longer than this shows its terminal automatically. */
const SHOWN_AFTER_MS = 1000

/** Whether a call is a running command, its task, and whether to show its terminal. */
export function useLiveCommand(
  item: ToolItem,
  open: boolean,
): { task: Task | undefined; shown: boolean; hide: () => void } {
  const { sessionId } = use(TerminalsContext)
  const runs = item.name === 'Bash' && item.state === 'running'
  const found = useTaskOfCall(sessionId, runs ? item.callId : '')
  const task = runs ? found : undefined
  const [hidden, setHidden] = useState(false)
  const now = useNowEachSecond(task !== undefined && !open && !hidden)
  const asks = task?.prompt !== undefined
  const late = task !== undefined && now - item.at >= SHOWN_AFTER_MS
  return { task, shown: task !== undefined && (open || asks || (late && !hidden)), hide: () => setHidden(true) }
}

/** The terminal of a foreground command. */
export function LiveCommand({ taskId }: { taskId: string }) {
  const { render } = use(TerminalsContext)
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
            title="The agent continues and is notified when the command ends"
            onClick={() => actions.moveToBackground(task)}
          >
            Move to background
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          title="Stops the command and notifies the agent"
          icon={<Square aria-hidden />}
          onClick={() => actions.stop(task)}
        >
          Stop
        </Button>
      </>
    ),
  )
}

/** A command's output, how it ended, and where the full output is stored. */
export function CommandOutput({ details }: { details: Extract<ToolDetails, { kind: 'output' }> }) {
  const { command, exitCode, durationMs, text, outputPath, truncated, sandbox } = details
  return (
    <>
      <TerminalText
        text={`\u001b[2m$ ${command.trim()}\u001b[0m\n${text === '' ? '\u001b[2m(no output)\u001b[0m' : text}`}
      />
      <p className="tool-meta">
        {exitCode !== undefined && (
          <span className={exitCode === 0 ? undefined : 'text-fail-ink'}>exit {exitCode}</span>
        )}
        <span>{duration(durationMs)}</span>
        {sandbox && (
          <span className={sandbox.level === 'unrestricted' ? 'text-wait-ink' : undefined}>
            {describeSandbox(sandbox)}
          </span>
        )}
        {truncated && <span>only the end is shown</span>}
        {outputPath && (
          <span className="tool-path" title={outputPath}>
            <span>{outputPath}</span>
            <CopyButton text={outputPath} label="Copy the path of the full log" />
          </span>
        )}
      </p>
    </>
  )
}

/** How the conversation's cards show a task's live terminal, and whose tasks they are. */
export interface TerminalsOfSession {
  sessionId: string
  /** `actions` are at the end of the line below the terminal. */
  render: (taskId: string, actions?: ReactNode) => ReactNode
}

export const TerminalsContext = createContext<TerminalsOfSession>({ sessionId: '', render: () => null })
