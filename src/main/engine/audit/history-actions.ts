import type { HistoriesCheck, HistoryCheck, ReplayOverview, ReplayStep } from '../../../shared/model/history'

/** The recorded histories of sessions: checking them against their hashes, and looking at them event by event. */
export interface HistoryActions {
  /** `expect`: a hash that was noted earlier and must be in the history. */
  verify(sessionId: string, expect?: string): Promise<HistoryCheck>
  /** All sessions, including those of subagents. */
  verifyAll(): Promise<HistoriesCheck>
  replay(sessionId: string): Promise<ReplayOverview>
  steps(sessionId: string, from: number, limit: number): Promise<ReplayStep[]>
}
