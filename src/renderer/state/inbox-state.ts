import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { InboxEntry } from '../../shared/model/approval/approval'

interface InboxState {
  /** Pending requests of all sessions, first in first out. */
  entries: readonly InboxEntry[]
  /** False until the list has arrived for the first time. */
  loaded: boolean
}

/** The inbox, updated only by pushes of the engine. */
export const useInbox = create<InboxState>()(() => ({ entries: [], loaded: false }))

/** Unique over all sessions. */
export function entryKey({ sessionId, approvalId }: Pick<InboxEntry, 'sessionId' | 'approvalId'>): string {
  return `${sessionId}/${approvalId}`
}

/** Pending requests of the subagents of a session, first in first out. */
export function useAgentRequests(sessionId: string): InboxEntry[] {
  return useInbox(useShallow(({ entries }) => entries.filter(({ agent }) => agent?.rootId === sessionId)))
}

/** Whether a subagent of the session has a pending request. */
export function useHasAgentRequests(sessionId: string): boolean {
  return useInbox(({ entries }) => entries.some(({ agent }) => agent?.rootId === sessionId))
}

/** Whether this subagent has a pending request. */
export function useWaitingAgent(agentId: string | undefined): boolean {
  return useInbox(
    ({ entries }) => agentId !== undefined && entries.some(({ sessionId, agent }) => agent && sessionId === agentId),
  )
}
