import type { Policy } from '../policy'
import { allowingRule } from '../rules/applying-rules'
import { describeRule } from '../rules/permission-rule'

/** What a rule of the user allows needs no approval. */
export const allowRules: Policy = (judged) => {
  const rule = allowingRule(judged)
  return rule && { decision: 'allow', reason: `Allowed by ${describeRule(rule)}.`, rule }
}
