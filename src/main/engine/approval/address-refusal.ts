import { webGlob } from './rules/match-web'
import { parsePattern } from './rules/parse-pattern'
import { describeRule, type PermissionRule } from './rules/permission-rule'

/**
 * Why a page that another one leads to may not be visited: the rule that denies or asks about it. The page that was asked for has been judged like every
 * call; where it redirects to is only known once it answers, when nobody can be asked any more.
 */
export function addressRefusal(rules: readonly PermissionRule[], url: string): string | undefined {
  for (const rule of rules) {
    if (rule.decision === 'allow') continue
    if (rule.mistake !== undefined) return `a rule cannot be read: ${describeRule(rule)}`
    const parsed = parsePattern(rule.pattern)
    if ('mistake' in parsed || parsed.tool !== 'FetchURL' || parsed.argument === undefined) continue
    if (webGlob(parsed.argument, { broad: true })(url)) return describeRule(rule)
  }
  return undefined
}
