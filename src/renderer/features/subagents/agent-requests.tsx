import { Bot } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Approval, InboxEntry } from '../../../shared/model/approval'
import { toolLabel } from '../../../shared/model/tool-label'
import { useAgentRequests } from '../../state/agent-requests'
import { useLayout } from '../../state/layout-state'
import { useQueries } from '../../state/trestle-context'

interface AgentRequestsProps {
  sessionId: string
  renderCard: (entry: InboxEntry, approval: Approval, behind: number) => ReactNode
}

/** What subagents of this session ask, at the end of its conversation: the request that waits longest, with who asks. */
export function AgentRequests({ sessionId, renderCard }: AgentRequestsProps) {
  const entries = useAgentRequests(sessionId)
  const [first] = entries
  return (
    <>
      <div className="sr-only" aria-live="assertive">
        {first && `Approval needed by the subagent ${first.agent?.description}: ${toolLabel(first.tool)} ${first.summary}`}
      </div>
      {first && <AgentRequest key={first.approvalId} entry={first} behind={entries.length - 1} renderCard={renderCard} />}
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
    queries.approval.get.queryOptions({ input: { sessionId, approvalId }, staleTime: Infinity, gcTime: 60_000, retry: false }),
  )
  // It is in the list already: the card comes a moment later, or it was settled meanwhile.
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
