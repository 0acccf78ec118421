import { ArrowLeft, Bot, Square } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { AgentState } from '../../../shared/model/session/agent'
import type { TaskStatus } from '../../../shared/model/task/task'
import { titleOf, useSessions } from '../../state/session-list/sessions-state'
import { useLayout } from '../../state/page/layout-state'
import { useTaskActions } from '../../state/tasks/task-actions'
import { useTask } from '../../state/tasks/tasks-state'
import { Banner } from '../../ui/notice'
import { Button } from '../../ui/button'
import type { Approval, InboxEntry } from '../../../shared/model/approval/approval'
import { toolLabel } from '../../../shared/tool-label'
import { useAgentRequests } from '../../state/inbox-state'
import { useQueries } from '../../state/page/queries'

const SUBAGENT_STATUS_LABELS: Record<TaskStatus, string> = {
  running: 'working',
  completed: 'has answered',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'ended with Trestle',
}

/** Above the conversation of a subagent: its parent session, its status, a link back, and a stop button. */
export function AgentBar({ agentId, agent }: { agentId: string; agent: AgentState }) {
  const parent = useSessions((state) => state.sessions.get(agent.rootId))
  const task = useTask(agentId)
  const actions = useTaskActions()
  const runs = agent.status === 'running'
  const what = runs && agent.isQueued ? 'waiting for other subagents to finish' : SUBAGENT_STATUS_LABELS[agent.status]
  return (
    <Banner
      tone="plain"
      icon={<Bot aria-hidden />}
      actions={
        <>
          {runs && task && (
            <Button size="small" variant="danger" icon={<Square aria-hidden />} onClick={() => actions.stop(task)}>
              Stop
            </Button>
          )}
          <Button
            size="small"
            icon={<ArrowLeft aria-hidden />}
            onClick={() => useLayout.getState().openSession(agent.parentId)}
          >
            Back to {agent.depth > 1 ? 'its agent' : 'the session'}
          </Button>
        </>
      }
    >
      Subagent <b>{agent.agentType}</b>
      {agent.readOnly && ', which may only read,'} of {parent ? `“${titleOf(parent)}”` : 'a session'}: {what}.
      {runs ? ' Messages you send here reach it at its next step.' : ' Its final message was sent to the main agent.'}
      {agent.reason !== undefined && ` ${agent.reason}`}
    </Banner>
  )
}

interface AgentRequestsProps {
  sessionId: string
  renderCard: (entry: InboxEntry, approval: Approval, behind: number) => ReactNode
}

/**
 * Requests of this session's subagents, at the end of its conversation: the oldest one, with the name of its subagent.
 */
export function AgentRequests({ sessionId, renderCard }: AgentRequestsProps) {
  const entries = useAgentRequests(sessionId)
  const [first] = entries
  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {first &&
          `Approval needed by the subagent ${first.agent?.description}: ${toolLabel(first.tool)} ${first.summary}`}
      </div>
      {first && (
        <AgentRequest key={first.approvalId} entry={first} behind={entries.length - 1} renderCard={renderCard} />
      )}
    </>
  )
}

interface AgentRequestProps extends Pick<AgentRequestsProps, 'renderCard'> {
  entry: InboxEntry
  behind: number
}

function AgentRequest({ entry, behind, renderCard }: AgentRequestProps) {
  const queries = useQueries()
  const { sessionId, approvalId, agent } = entry
  const { data } = useQuery(
    queries.approval.get.queryOptions({
      input: { sessionId, approvalId },
      staleTime: Infinity,
      gcTime: 60_000,
      retry: false,
    }),
  )
  // Already listed: the card appears a moment later, or the request has already been answered.
  if (!data) return null
  return (
    <section aria-label={`Request of the subagent ${agent?.description}`}>
      <p className="agent-asks">
        <Bot aria-hidden />
        <span className="min-w-0 truncate">
          The subagent <b>{agent?.description}</b> ({agent?.type}) asks:
        </span>
        <button type="button" onClick={() => useLayout.getState().openSession(sessionId)}>
          Open it
        </button>
      </p>
      {renderCard(entry, data, behind)}
    </section>
  )
}
