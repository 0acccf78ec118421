import { ArrowDownToLine, ArrowUpRight, Square } from 'lucide-react'
import { isAgentId } from '../../../../shared/model/session/agent'
import type { Task, TaskStatus } from '../../../../shared/model/task/task'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { useWaitingAgent } from '../../../state/inbox-state'
import { useLayout } from '../../../state/page/layout-state'
import { useTaskActions } from '../../../state/tasks/task-actions'
import { useTask } from '../../../state/tasks/tasks-state'
import { useNowEachSecond, formatElapsed } from '../../../ui/content/elapsed'
import { Button } from '../../../ui/button'
import { StatusDot, type DotStatus } from '../../../ui/badge'
import { Markdown } from '../markdown/markdown-on-demand'

const SUBAGENT_STATUS_LABELS: Record<TaskStatus, string> = {
  running: 'works',
  completed: 'has answered',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'ended with Trestle',
}
const DOTS: Record<TaskStatus, DotStatus> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  stopped: 'idle',
  timed_out: 'failed',
  lost: 'interrupted',
}

/** The current state of the subagent of a call; undefined without a subagent, or when its state is no longer known. */
export function useSubagent(item: ToolItem): Task | undefined {
  return useTask(item.agent?.agentId)
}

/** A call's subagent: its state, its current step, and links to it. */
export function Subagent({ item }: { item: ToolItem }) {
  const task = useSubagent(item)
  const actions = useTaskActions()
  const waits = useWaitingAgent(item.agent?.agentId)
  const runs = task?.status === 'running'
  const now = useNowEachSecond(runs)
  if (!item.agent) return null
  const { agentId, type } = item.agent
  const details = item.details?.kind === 'agent' ? item.details : undefined
  const status = task?.status ?? details?.status
  const isQueued = runs && task.agent?.isQueued === true
  const calls = task?.agent?.calls ?? 0
  return (
    <>
      {details && details.text !== '' && (
        <div className="subagent-answer" role="group" aria-label="Its last message" tabIndex={0}>
          <Markdown text={details.text} streaming={false} />
        </div>
      )}
      {runs && !waits && (
        <p className="subagent-line" aria-live="off">
          {isQueued ? 'Waiting for other subagents to finish' : (task.lastLine ?? 'Thinking')}
        </p>
      )}
      <p className="tool-meta">
        {status && (
          <span className="inline-flex items-center gap-1.5">
            <StatusDot status={waits ? 'waiting' : isQueued ? 'idle' : DOTS[status]} silent />
            {type} {waits ? 'needs your answer' : isQueued ? 'is queued' : SUBAGENT_STATUS_LABELS[status]}
          </span>
        )}
        {runs && calls > 0 && <span>{calls === 1 ? '1 call' : `${calls} calls`}</span>}
        {task && <span>{formatElapsed(Math.max(0, Math.floor(((task.endedAt ?? now) - task.startedAt) / 1000)))}</span>}
        {task?.background && <span>in the background</span>}
        <span className="flex-1" />
        {runs && !task.background && !isAgentId(task.sessionId ?? '') && (
          <Button
            size="small"
            variant="quiet"
            icon={<ArrowDownToLine aria-hidden />}
            title="The agent continues and is notified when it ends"
            aria-label={`Move to background: the subagent ${item.agent.description}`}
            onClick={() => actions.moveToBackground(task)}
          >
            Move to background
          </Button>
        )}
        {runs && (
          <Button
            size="small"
            variant="quiet"
            icon={<Square aria-hidden />}
            title="Stops this subagent and notifies the agent"
            aria-label={`Stop the subagent ${item.agent.description}`}
            onClick={() => actions.stop(task)}
          >
            Stop
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          title="See its steps, or send it a message"
          aria-label={`Open the subagent ${item.agent.description}`}
          onClick={() => useLayout.getState().openSession(agentId)}
        >
          Open <ArrowUpRight aria-hidden />
        </Button>
      </p>
    </>
  )
}

/** At the right end of the call's row. */
export function SubagentOutcome({ task }: { task: Task }) {
  const waits = useWaitingAgent(task.taskId)
  const isQueued = task.status === 'running' && task.agent?.isQueued === true
  return (
    <>
      <StatusDot status={waits ? 'waiting' : isQueued ? 'idle' : DOTS[task.status]} silent />
      {waits
        ? 'needs input'
        : isQueued
          ? 'queued'
          : task.status === 'running'
            ? task.background
              ? 'in the background'
              : 'running'
            : `background: ${SUBAGENT_STATUS_LABELS[task.status].replace(/^(has|was) /, '')}`}
    </>
  )
}
