import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { HistoriesCheck, HistoryCheck, ReplayOverview, ReplayStep } from '../../model/session/history'

const sessionId = z.string().min(1).max(100)

/** The recorded history of sessions: verifying it, and viewing it event by event. */
export const historyContract = {
  /**
   * Verifies the events of a session against their hashes. `expect`: the hash of an event, noted earlier, that must be
   * in the history.
   */
  verify: oc
    .input(
      z.strictObject({
        sessionId,
        expect: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional(),
      }),
    )
    .output(type<HistoryCheck>()),
  /** Verifies all sessions, including those of subagents. */
  verifyAll: oc.output(type<HistoriesCheck>()),
  /** How many events a session has, and where its turns start. */
  replay: oc.input(z.strictObject({ sessionId })).output(type<ReplayOverview>()),
  /** Events from `from` on, as text for people, with the file changes that they record. */
  steps: oc
    .input(
      z.strictObject({
        sessionId,
        from: z.int().min(1),
        limit: z.int().min(1).max(50).default(1),
      }),
    )
    .output(type<ReplayStep[]>()),
}
