import type { Policy } from '../policy'
import { allowingRule, restrictsCommands } from '../rules/applying-rules'

/**
 * What runs something that cannot be seen asks; an allow rule covers it only when it names what hides it. In the mode `auto` it asks only
 * where there are rules that it could get round.
 */
export const hiddenCommands: Policy = (judged) => {
  const { part, mode, rules } = judged
  if (!part?.hidden) return undefined
  if (mode === 'auto' && !rules.some(restrictsCommands)) return undefined
  const { reason, word } = part.hidden
  if (word !== '' && allowingRule(judged, word)) return undefined
  return { decision: 'ask', reason: `Not all that runs can be seen: ${reason}.` }
}
