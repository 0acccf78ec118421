import type { ConfigProblem } from '../../../shared/model/settings'
import type { PermissionRule } from '../approval/rules/permission-rule'
import { placeHooks, readHooks, type Hook } from './hook-settings'
import { placeRules, readPermissionRules, unreadableRules } from './permission-settings'
import { parseConfig, placeMistakes } from './read-config-file'
import { readProjectSandbox, type ProjectSandbox } from './sandbox-settings'
import { TableReader, type Mistake } from './table-reader'

/** What a project's `.trestle/config.toml` says. Everything but rules, hooks, switched off tools, the number of steps and a stricter sandbox is ignored and reported. */
export interface ProjectConfig {
  rules: readonly PermissionRule[]
  hooks: readonly Hook[]
  disabledTools: readonly string[]
  maxSteps?: number
  sandbox?: ProjectSandbox
  problems: readonly ConfigProblem[]
}

/** So many texts are kept parsed: one is asked for at every call. */
const MOST_KEPT = 16
const kept = new Map<string, Promise<ProjectConfig>>()

/** Never fails: of a file that does not parse nobody knows what it was to forbid, so everything asks. */
export function readProjectConfig(text: string, file: string, problem?: ConfigProblem): Promise<ProjectConfig> {
  const key = JSON.stringify([file, text, problem?.message])
  const known = kept.get(key)
  if (known) return known
  const read = parse(text, file, problem)
  kept.set(key, read)
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest)
  return read
}

async function parse(text: string, file: string, problem?: ConfigProblem): Promise<ProjectConfig> {
  const origin = { scope: 'project', file } as const
  const { table, problems } = parseConfig(problem ? { problem } : { text }, file)
  if (!table) return { rules: [unreadableRules(origin, 'the file cannot be read', problems[0])], hooks: [], disabledTools: [], problems }
  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const tools = top.table('tools')
  const loop = top.table('loop')
  const permission = top.table('permission')
  const sandbox = readProjectSandbox(top.table('sandbox'))
  const disabledTools = tools?.strings('disabled') ?? []
  const maxSteps = loop?.number('max_steps', { min: 1, max: 100_000 })
  const rules = readPermissionRules(permission, origin)
  const hooks = readHooks(top, origin)
  if (top.has('permission') && !permission) rules.push(unreadableRules(origin, 'permission is not a table'))
  refuse(top, ['tools', 'loop', 'permission', 'hooks', 'sandbox'])
  if (tools) refuse(tools, ['disabled'])
  if (loop) refuse(loop, ['max_steps'])
  return {
    rules: await placeRules(rules, text),
    hooks: await placeHooks(hooks, text),
    disabledTools,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(top.has('sandbox') && { sandbox }),
    problems: await placeMistakes(mistakes, text, file),
  }
}

function refuse(reader: TableReader, allowed: readonly string[]): void {
  for (const key of reader.keys()) if (!allowed.includes(key)) reader.mistake(key, 'is ignored: only your own config may set this')
}
