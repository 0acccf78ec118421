import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { Approval, ApprovalProposal, InboxEntry, RuleChoice } from '../../model/approval/approval'
import type { PlanView } from '../../model/turn/plan'
import type { SessionHeader } from '../../model/session/session'

const sessionId = z.string().min(1).max(100)

export const planContract = {
  /** Turns plan mode on: from the next call on, only the plan's file can change. Harmless when it is on. */
  enter: oc.input(z.strictObject({ sessionId })).output(type<SessionHeader>()),
  /**
   * Turns plan mode off without a plan; harmless when it is off. A plan that waits for its review can still be
   * answered.
   */
  leave: oc.input(z.strictObject({ sessionId })).output(type<SessionHeader>()),
  view: oc.input(z.strictObject({ sessionId })).output(type<PlanView>()),
  /** The text of a plan as it was submitted. `plan.not_found` when it no longer exists. */
  revision: oc
    .input(z.strictObject({ sessionId, plan: z.int().min(1), revision: z.int().min(1) }))
    .output(type<{ text: string }>()),
}

const which = { sessionId: z.string(), approvalId: z.string() }
/** The text that a call should write instead, with line feeds only. */
const edited = z.strictObject({ path: z.string().min(1).max(10_000), text: z.string().max(2_000_000) })

export const approvalContract = {
  /** Everything that waits for an answer, in all sessions, first in first out. */
  list: oc.output(type<InboxEntry[]>()),
  /** One complete request, with its preview. `approval.gone` when it is no longer pending. */
  get: oc.input(z.strictObject(which)).output(type<Approval>()),
  /**
   * What "allow always" can cover, narrowest first, each with its verdict on the session's past commands. Empty when
   * nothing can be allowed permanently.
   */
  choices: oc.input(z.strictObject(which)).output(type<RuleChoice[]>()),
  /**
   * What a call that changes one text file proposes, for the user to edit; null for other calls. With `edited`, the
   * preview shows the edited call. `request.invalid`: the edited call would fail.
   */
  proposal: oc.input(z.strictObject({ ...which, edited: edited.optional() })).output(type<ApprovalProposal | null>()),
  /**
   * Answers a pending approval. `approval.gone` when it was already answered. `rule` is for `allow_always`: the pattern
   * of one of the `choices`, unchanged; without it, the narrowest one applies to the session. `config.write_failed`:
   * nothing was answered. `comments` are for `revise` of a plan, `answers` for the `answer` to questions: one for each,
   * in order; `values` for the `send` of a form. `edited` is for options that allow: the call writes this text instead
   * of what it proposed, and the agent is informed.
   */
  reply: oc
    .input(
      z.strictObject({
        ...which,
        optionId: z.string(),
        feedback: z.string().max(10_000).optional(),
        comments: z
          .array(z.strictObject({ line: z.int().min(1), text: z.string().trim().min(1).max(10_000) }))
          .max(200)
          .optional(),
        answers: z
          .array(
            z.strictObject({ labels: z.array(z.string().max(1000)).max(10), other: z.string().max(10_000).optional() }),
          )
          .max(4)
          .optional(),
        values: z
          .record(
            z.string().max(1000),
            z.union([z.string().max(40_000), z.number(), z.boolean(), z.array(z.string().max(10_000)).max(1000)]),
          )
          .refine((values) => Object.keys(values).length <= 1000)
          .optional(),
        edited: edited.optional(),
        rule: z.strictObject({ pattern: z.string().max(10_000), scope: z.enum(['session', 'user']) }).optional(),
      }),
    )
    .output(type<void>()),
}
