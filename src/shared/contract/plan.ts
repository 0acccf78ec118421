import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { PlanView } from '../model/plan'
import type { SessionHeader } from '../model/session'

const sessionId = z.string().min(1).max(100)

export const planContract = {
  /** Turns plan mode on: from the next call on nothing but the plan's file can change. Harmless when it is on. */
  enter: oc.input(z.strictObject({ sessionId })).output(type<SessionHeader>()),
  /** Turns it off without a plan; harmless when it is off. A plan that waits for its review can still be answered. */
  leave: oc.input(z.strictObject({ sessionId })).output(type<SessionHeader>()),
  view: oc.input(z.strictObject({ sessionId })).output(type<PlanView>()),
  /** The text of a plan as it was submitted. `plan.not_found` when it is not there any more. */
  revision: oc.input(z.strictObject({ sessionId, plan: z.int().min(1), revision: z.int().min(1) })).output(type<{ text: string }>()),
}
