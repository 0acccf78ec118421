import type { Policy } from '../policy'
import { catchingRule } from '../rules/applying-rules'
import { describeRule } from '../rules/permission-rule'

/** What a rule wants to be asked about asks, also when another rule or the mode would allow it. So does what a broken rule may be about. */
export const askRules: Policy = (judged) => {
  const broken = judged.rules.find((rule) => rule.mistake !== undefined)
  if (broken) {
    return {
      decision: 'ask',
      reason: `${broken.file}:${broken.line ?? 1} holds a permission rule that cannot be read (${broken.mistake}).`,
      rule: broken,
      everyTime: true,
    }
  }
  const caught = catchingRule(judged, 'ask')
  return caught && { decision: 'ask', reason: `It is asked because of ${describeRule(caught.rule)}.`, rule: caught.rule, everyTime: true }
}
