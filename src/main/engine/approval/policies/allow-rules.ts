import type { Policy } from '../policy'
import { allowingRule } from '../rules/applying-rules'
import { describeRule } from '../rules/permission-rule'

/** What a rule allows needs no approval, whosever it is: a project's rules are only here when the user trusts its folder. */
export const allowRules: Policy = (judged) => {
  const rule = allowingRule(judged)
  return rule && { decision: 'allow', reason: `Allowed by ${describeRule(rule)}.`, rule }
}
