import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { Approval, InboxEntry, RuleChoice } from '../model/approval'

const which = { sessionId: z.string(), approvalId: z.string() }

export const approvalContract = {
  /** Everything that waits for an answer, over all sessions, first in first out. */
  list: oc.output(type<InboxEntry[]>()),
  /** One of them whole, with its preview. `approval.gone` when it does not wait any more. */
  get: oc.input(z.strictObject(which)).output(type<Approval>()),
  /** What "allow always" can cover, narrowest first, each with its verdict on the session's past commands. Empty when nothing can be allowed for good. */
  choices: oc.input(z.strictObject(which)).output(type<RuleChoice[]>()),
  /**
   * Answers a waiting approval. `approval.gone` when it was answered already. `rule` goes with `allow_always`: the pattern of one of the
   * `choices`, exactly as given; without it the narrowest holds for the session. `config.write_failed`: nothing is answered then.
   */
  reply: oc
    .input(
      z.strictObject({
        ...which,
        optionId: z.string(),
        feedback: z.string().max(10_000).optional(),
        rule: z.strictObject({ pattern: z.string().max(10_000), scope: z.enum(['session', 'user']) }).optional(),
      }),
    )
    .output(type<void>()),
}
