/** Which rule wins does not depend on its scope: deny beats ask beats allow. */
export const RULE_DECISIONS = ['allow', 'ask', 'deny'] as const
export type RuleDecision = (typeof RULE_DECISIONS)[number]

/** A rule as it was written, and where. */
export interface PermissionRule {
  decision: RuleDecision
  /** `Tool`, `Tool(pattern)` or `mcp__server__*`. */
  pattern: string
  scope: 'user' | 'project' | 'session'
  /** Of a rule that holds for a session, in words: it stands in no file. */
  file: string
  /** Its place among the rules of its file, from 0. */
  index: number
  line?: number
  /** An allow rule for commands can let them run without a sandbox. */
  sandbox?: 'unrestricted'
  /** Set for a rule that cannot be read: what is wrong with it. Until it is mended, every call it could be about asks. */
  mistake?: string
}

const OWNERS = { user: 'your rule', project: "the project's rule", session: 'your rule for this session,' } as const

/** How a rule is named where its effect is explained: with its scope, file and line. */
export function describeRule(rule: PermissionRule): string {
  const named = `${OWNERS[rule.scope]} ${rule.decision} ${rule.pattern}`
  if (rule.scope === 'session') return named
  return `${named} (${rule.line === undefined ? rule.file : `${rule.file}:${rule.line}`})`
}
