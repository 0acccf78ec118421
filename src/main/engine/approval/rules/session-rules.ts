import type { PermissionRule } from './permission-rule'

const kept = new WeakMap<readonly string[], readonly PermissionRule[]>()
const NONE: readonly PermissionRule[] = []

/** What the user allowed for a session, as rules; the same ones for the same list, so that each pattern is taken apart once. */
export function sessionRules(patterns: readonly string[] | undefined): readonly PermissionRule[] {
  if (!patterns || patterns.length === 0) return NONE
  const known = kept.get(patterns)
  if (known) return known
  const rules = patterns.map((pattern, index): PermissionRule => {
    return { decision: 'allow', pattern, scope: 'session', file: 'this session', index }
  })
  kept.set(patterns, rules)
  return rules
}
