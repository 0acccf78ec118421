import { useShallow } from 'zustand/react/shallow'
import type { InboxEntry } from '../../shared/model/approval'
import { useInbox } from './inbox-state'

/** The requests of the subagents of a session, first in first out. */
export function useAgentRequests(sessionId: string): InboxEntry[] {
  return useInbox(useShallow(({ entries }) => entries.filter(({ agent }) => agent?.rootId === sessionId)))
}

/** Whether a subagent of the session waits for an answer. */
export function useHasAgentRequests(sessionId: string): boolean {
  return useInbox(({ entries }) => entries.some(({ agent }) => agent?.rootId === sessionId))
}

/** Whether this subagent waits for an answer. */
export function useWaitingAgent(agentId: string | undefined): boolean {
  return useInbox(({ entries }) => agentId !== undefined && entries.some(({ sessionId, agent }) => agent && sessionId === agentId))
}
