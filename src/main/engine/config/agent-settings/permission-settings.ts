import type { ConfigProblem } from '../../../../shared/configuration/settings'
import { RULE_DECISIONS } from '../../../../shared/configuration/customize/rules'
import { parsePattern, type PermissionRule } from '../../permission/permission-rule'
import type { TableReader } from '../toml/table-reader'
import { countOf, entryLines } from '../toml/parse-toml'

type Origin = Pick<PermissionRule, 'scope' | 'file'>

/**
 * The rules of a `[permission]` table. An unreadable rule is reported and kept with a `mistake`, so that whatever it
 * was meant to forbid asks the user; only a broken allow rule, which would allow nothing, is left out.
 */
export function readPermissionRules(reader: TableReader | undefined, origin: Origin): PermissionRule[] {
  if (!reader) return []
  const rules: PermissionRule[] = []
  const entries = reader.tableList('rules')
  for (const { index, entry } of entries ?? []) {
    const broken = (mistake: string, decision: PermissionRule['decision'] | undefined, pattern = ''): void => {
      if (decision !== 'allow') rules.push({ ...origin, index, decision: decision ?? 'ask', pattern, mistake })
    }
    if (!entry) {
      broken('it is not a table', undefined)
      continue
    }
    const decision = entry.oneOf('decision', RULE_DECISIONS)
    const pattern = entry.string('pattern')
    const sandbox = entry.oneOf('sandbox', ['unrestricted'] as const)
    const parsed = pattern === undefined ? undefined : parsePattern(pattern)
    for (const needed of ['decision', 'pattern']) if (!entry.has(needed)) entry.mistake(undefined, `needs a ${needed}`)
    if (parsed && 'mistake' in parsed) entry.mistake('pattern', parsed.mistake)
    entry.finish()
    if (decision === undefined || pattern === undefined) broken('it needs a decision and a pattern', decision, pattern)
    else if (parsed && 'mistake' in parsed) broken(`its pattern ${parsed.mistake}`, decision, pattern)
    else rules.push({ ...origin, index, decision, pattern, ...(sandbox && origin.scope === 'user' && { sandbox }) })
  }
  if (!entries && reader.has('rules')) rules.push(unreadableRules(origin, 'rules is not a list of tables'))
  reader.finish()
  return rules
}

/**
 * Stands in for rules that cannot be read, such as in a file that does not parse: everything asks until the file is
 * fixed.
 */
export function unreadableRules(origin: Origin, mistake: string, problem?: ConfigProblem): PermissionRule {
  return {
    ...origin,
    index: 0,
    decision: 'ask',
    pattern: '*',
    mistake,
    ...(problem?.line !== undefined && { line: problem.line }),
  }
}

/** Adds line numbers to rules. */
export async function locateRules(rules: readonly PermissionRule[], text: string): Promise<PermissionRule[]> {
  if (rules.length === 0) return []
  const lines = await entryLines(text, ['permission', 'rules'], countOf(rules))
  return rules.map((rule) => {
    const line = lines[rule.index]
    return line === undefined ? rule : { ...rule, line }
  })
}
