import type { Policy } from '../policy'
import { catchingRule } from '../rules/applying-rules'
import { describeRule } from '../rules/permission-rule'

/** A deny rule holds whatever else allows. Where only the running command decides whether it is meant, the user is asked. */
export const denyRules: Policy = (judged) => {
  const caught = catchingRule(judged, 'deny')
  if (!caught) return undefined
  const { rule, match } = caught
  if (match === 'yes') return { decision: 'deny', reason: `${capital(describeRule(rule))} forbids it.`, rule }
  return {
    decision: 'ask',
    reason: `It may be what ${describeRule(rule)} forbids: that is only known when it runs.`,
    rule,
    everyTime: true,
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
