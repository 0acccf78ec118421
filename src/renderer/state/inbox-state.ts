import { create } from 'zustand'
import type { InboxEntry } from '../../shared/model/approval'

interface InboxState {
  /** Pending requests over all sessions, first in first out. */
  entries: readonly InboxEntry[]
  /** False until the list has come for the first time. */
  loaded: boolean
}

/** The inbox, told by the engine's push and by nothing else. */
export const useInbox = create<InboxState>()(() => ({ entries: [], loaded: false }))

/** Unique over all sessions. */
export function entryKey({ sessionId, approvalId }: Pick<InboxEntry, 'sessionId' | 'approvalId'>): string {
  return `${sessionId}/${approvalId}`
}
