import type { JudgedCall, Policy, Verdict } from './policy'

/** The first opinion wins. An empty list, or a policy that throws, means ask: doubt never allows. */
export function judge(policies: readonly Policy[], call: JudgedCall): Verdict {
  for (const policy of policies) {
    const verdict = policy(call)
    if (verdict) return verdict
  }
  return { decision: 'ask', reason: 'No policy has an opinion on this call.' }
}
