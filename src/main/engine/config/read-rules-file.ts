import type { ConfigProblem } from '../../../shared/model/settings'
import type { PermissionRule } from '../approval/rules/permission-rule'
import { placeRules, readPermissionRules } from './permission-settings'
import { parseConfig, placeMistakes, readConfigText } from './read-config-file'
import { TableReader, type Mistake } from './table-reader'

/** The rules of a file that is written like config.toml, judged as the user's own; anything else in it is not looked at. Never fails. */
export async function readRulesFile(file: string): Promise<{ rules: PermissionRule[]; problems: ConfigProblem[] }> {
  const found = readConfigText(file)
  if ('missing' in found) return { rules: [], problems: [{ file, message: 'There is no such file.' }] }
  const { table, problems } = parseConfig(found, file)
  if (!table || !('text' in found)) return { rules: [], problems }
  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const rules = readPermissionRules(top.table('permission'), { scope: 'user', file })
  return { rules: await placeRules(rules, found.text), problems: await placeMistakes(mistakes, found.text, file) }
}
