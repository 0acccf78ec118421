import { isDangerous, type Approval, type ApprovalReason } from '../../../shared/model/approval'
import { foldText, visibleText } from '../../../shared/model/visible-text'
import type { JudgedCall, Policy } from './policy'
import { dangerous } from './policies/dangerous'

/**
 * Every reason why a call is asked about, dangers first: the verdict names only the strictest, and a person has to know all of them, of all parts of a command.
 * Nothing where there is one reason and it is no danger. `first` is put before them.
 */
export function reasonsOf(policies: readonly Policy[], judged: JudgedCall, first?: string): Pick<Approval, 'reasons'> {
  const { parts } = judged
  const found = parts
    ? parts.flatMap((part) =>
        asksOf(policies, { ...judged, part }).map((reason) =>
          parts.length > 1 ? { ...reason, part: foldText(visibleText(part.source)) } : reason,
        ),
      )
    : asksOf(policies, judged)
  const once = [...new Map(found.map((reason) => [`${reason.part ?? ''}\n${reason.text}`, reason])).values()]
  if (once.length < 2 && !isDangerous({ reasons: once })) return {}
  const sorted = once.toSorted((a, b) => Number(b.danger ?? false) - Number(a.danger ?? false))
  return { reasons: first === undefined ? sorted : [{ text: first }, ...sorted] }
}

/** What each policy asks about, up to the first that allows or denies. The last one asks about everything: it is named only when no other asks. */
function asksOf(policies: readonly Policy[], judged: JudgedCall): ApprovalReason[] {
  const reasons: ApprovalReason[] = []
  for (const [index, policy] of policies.entries()) {
    const verdict = policy(judged)
    if (!verdict) continue
    if (verdict.decision !== 'ask' || (index === policies.length - 1 && reasons.length > 0)) break
    reasons.push({ text: visibleText(verdict.reason), ...(policy === dangerous && { danger: true }) })
  }
  return reasons
}
