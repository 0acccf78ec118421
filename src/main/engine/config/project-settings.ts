import { join } from 'node:path'
import type { ConfigProblem } from '../../../shared/model/settings'
import { parseConfig, placeMistakes, readConfigText } from './read-config-file'
import { placeRules, readPermissionRules, unreadableRules } from './permission-settings'
import type { Settings } from './settings'
import { TableReader, type Mistake } from './table-reader'

/**
 * The settings for work in `folder`: the user's own, made stricter by the project's `.trestle/config.toml`. Such a file comes with the
 * project, from anybody; it can only switch tools off, lower `[loop] max_steps`, and deny or ask
 * by `[[permission.rules]]`. Everything else in it (providers, addresses, headers,
 * keys above all) is ignored and reported. Never fails; a file that does not parse is reported,
 * and everything asks, because nobody knows what it was to forbid.
 */
export async function projectSettings(folder: string, own: Settings): Promise<{ settings: Settings; problems: ConfigProblem[] }> {
  const file = join(folder, '.trestle', 'config.toml')
  const found = readConfigText(file)
  const { table, problems } = parseConfig(found, file)
  const origin = { scope: 'project', file } as const
  if (!table) {
    const rule = unreadableRules(origin, 'the file does not parse', problems[0])
    return { settings: { ...own, permission: { rules: [...own.permission.rules, rule] } }, problems }
  }
  if (!('text' in found)) return { settings: own, problems }

  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const tools = top.table('tools')
  const loop = top.table('loop')
  const disabled = tools?.strings('disabled') ?? []
  const maxSteps = loop?.number('max_steps', { min: 1, max: 100_000 }) ?? own.loop.maxSteps
  if (maxSteps > own.loop.maxSteps)
    loop?.mistake('max_steps', `is ${maxSteps}, but your own config allows ${own.loop.maxSteps}; a project can only lower it`)
  const permission = top.table('permission')
  const read = readPermissionRules(permission, origin)
  if (top.has('permission') && !permission) read.push(unreadableRules(origin, 'permission is not a table'))
  for (const rule of read) {
    if (rule.decision === 'allow')
      mistakes.push({
        path: ['permission', 'rules', rule.index],
        message: `The rule allow ${rule.pattern} is ignored: a project can only deny or ask`,
      })
  }
  const rules = await placeRules(
    read.filter((rule) => rule.decision !== 'allow'),
    found.text,
  )
  refuse(top, ['tools', 'loop', 'permission'])
  if (tools) refuse(tools, ['disabled'])
  if (loop) refuse(loop, ['max_steps'])

  const settings: Settings = {
    ...own,
    loop: { ...own.loop, maxSteps: Math.min(maxSteps, own.loop.maxSteps) },
    tools: { ...own.tools, disabled: [...new Set([...own.tools.disabled, ...disabled])] },
    permission: { rules: [...own.permission.rules, ...rules] },
  }
  return { settings, problems: await placeMistakes(mistakes, found.text, file) }
}

function refuse(reader: TableReader, allowed: readonly string[]): void {
  for (const key of reader.keys()) if (!allowed.includes(key)) reader.mistake(key, 'is ignored: only your own config may set this')
}
