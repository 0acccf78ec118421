import { writesOutside } from '../paths'
import type { Policy } from '../policy'
import { allowingRule, namingRule } from '../rules/applying-rules'
import { describeRule } from '../rules/permission-rule'

/**
 * What a rule allows needs no approval, whosever it is: a project's rules are only here when the user trusts its folder. A rule for commands covers their
 * words; what these make a command write outside of the project it covers only when it names that path.
 */
export const allowRules: Policy = (judged) => {
  const rule = allowingRule(judged)
  if (!rule) return undefined
  const { part } = judged
  const outside = part?.kind === 'run' ? writesOutside(part).find((path) => !namingRule(judged, path)) : undefined
  // Then the mode decides.
  return outside ? undefined : { decision: 'allow', reason: `Allowed by ${describeRule(rule)}.`, rule }
}
