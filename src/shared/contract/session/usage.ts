import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import { PLACE_NAME } from '../../model/place/place'
import { MAX_USAGE_DAYS, USAGE_GROUPS, type SessionUsage, type UsageReport } from '../../model/turn/usage'

/** Usage of requests to models, in tokens and dollars. */
export const usageContract = {
  /** Sums of the last days, including today. Costs use the prices at the time of each request. */
  report: oc
    .input(
      z.strictObject({
        by: z.enum(USAGE_GROUPS).default('day'),
        days: z.int().min(1).max(MAX_USAGE_DAYS).default(30),
        /** Only one place; null: only this machine. */
        place: z.string().regex(PLACE_NAME).nullable().optional(),
      }),
    )
    .output(type<UsageReport>()),
  /** The usage of a session with its subagents, and how far its limits are used. `turns`: also of each turn. */
  session: oc
    .input(z.strictObject({ sessionId: z.string(), turns: z.boolean().default(false) }))
    .output(type<SessionUsage>()),
}
