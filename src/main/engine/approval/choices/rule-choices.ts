import type { RuleChoice } from '../../../../shared/model/approval'
import { judge } from '../judge'
import type { JudgedCall, Policy } from '../policy'
import { sessionRules } from '../rules/session-rules'
import { judgedPast, type JudgedPast, type PastCall } from './past-calls'
import type { RuleOffer } from './rule-offers'

/** So many past calls are shown with a choice; older ones are left out. */
const MOST_PAST = 50

/** Offers with what each would have decided about the session's past calls, by the policies that judge every call. */
export async function ruleChoices(
  policies: readonly Policy[],
  offers: readonly RuleOffer[],
  current: JudgedCall,
  past: readonly PastCall[],
): Promise<RuleChoice[]> {
  const seen = new Set<string>()
  const calls: JudgedPast[] = []
  for (const call of past) {
    if (calls.length >= MOST_PAST) break
    const judged = await judgedPast(call, current)
    if (!judged || seen.has(judged.command)) continue
    seen.add(judged.command)
    calls.push(judged)
  }
  return offers.map(({ pattern, label }) => {
    const rules = [...current.rules, ...sessionRules(pattern.split('\n'))]
    return {
      pattern,
      label,
      past: calls.map(({ command, before, judged }) => ({ command, before, after: judge(policies, { ...judged, rules }).decision })),
    }
  })
}
