import { oc, type } from '@orpc/contract'
import { z } from 'zod'

export const approvalContract = {
  /** Answers a waiting approval. `approval.gone` when it was answered already. */
  reply: oc
    .input(
      z.strictObject({ sessionId: z.string(), approvalId: z.string(), optionId: z.string(), feedback: z.string().max(10_000).optional() }),
    )
    .output(type<void>()),
}
