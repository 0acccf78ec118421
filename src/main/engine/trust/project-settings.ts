import type { ConfigProblem } from '../../../shared/configuration/settings'
import { projectFileKind } from './project-files'
import { type Hook, locateHooks, readHooks } from '../config/agent-settings/hook-settings'
import type { Settings } from '../config/settings/settings'
import { readTrustState, type TrustState } from './trust-state'
import type { PermissionRule } from '../permission/permission-rule'
import { locateRules, readPermissionRules, unreadableRules } from '../config/agent-settings/permission-settings'
import { parseConfig, locateMistakes } from '../config/read-config-file'
import { readProjectSandbox, type ProjectSandbox } from '../config/agent-settings/sandbox-settings'
import { TableReader, type Mistake } from '../config/toml/table-reader'
import { readProjectWorktree, type ProjectWorktree } from '../config/agent-settings/worktree-settings'

/** The settings for work in one folder, and the trust state that determines what the project contributes to them. */
export interface FolderSettings {
  settings: Settings
  problems: ConfigProblem[]
  trust: Pick<TrustState, 'state' | 'hash'>
}

/**
 * The settings for work in `folder` (a real path): the user's own, and what the project's `.trestle/config.toml` adds.
 * Such a file comes with the project, from an unknown author: it has no effect until the user trusts its exact text.
 * Then its rules and hooks apply, and it can turn tools off and lower `[loop] max_steps`, make the sandbox stricter and
 * prepare worktrees; everything else in it (above all providers, addresses, headers and keys) is ignored and reported.
 * After a change, until the user has reviewed it, the previously accepted text still restricts, but allows nothing, and
 * only its blocking hooks run. Never fails.
 */
export async function projectSettings(folder: string, own: Settings, home: string): Promise<FolderSettings> {
  const { state, hash, files, accepted, problem } = readTrustState(home, folder)
  const standing = { state, hash }
  const problems = problem ? [problem] : []
  if (state === 'trusted') {
    let settings = own
    for (const { file, text, problem: unreadable } of files.filter(({ kind }) => kind === 'rules')) {
      const config = await readProjectConfig(text, file, unreadable)
      problems.push(...config.problems)
      settings = withProject(settings, config)
    }
    return { settings, problems, trust: standing }
  }
  let settings = own
  for (const { file, text } of files.length === 0
    ? []
    : (accepted?.files ?? []).filter((old) => projectFileKind(folder, old.file) === 'rules')) {
    const config = await readProjectConfig(text, file)
    const { worktree: _, ...restrictions } = config
    settings = withProject(settings, { ...restrictions, ...restricting(config) })
  }
  return { settings, problems, trust: standing }
}

/** Events whose hooks can block the agent. */
const BLOCKING_EVENTS: readonly Hook['event'][] = ['UserPromptSubmit', 'PreToolUse', 'beforeWriteFile']

function restricting({ rules, hooks }: ProjectConfig): Pick<ProjectConfig, 'rules' | 'hooks'> {
  return {
    rules: rules.filter((rule) => rule.decision !== 'allow'),
    hooks: hooks.filter(({ event }) => BLOCKING_EVENTS.includes(event)),
  }
}

function withProject(
  own: Settings,
  { rules, hooks, disabledTools, sandbox, worktree, maxSteps = own.loop.maxSteps }: ProjectConfig,
): Settings {
  return {
    ...own,
    loop: { ...own.loop, maxSteps: Math.min(maxSteps, own.loop.maxSteps) },
    tools: { ...own.tools, disabled: [...new Set([...own.tools.disabled, ...disabledTools])] },
    permission: { rules: [...own.permission.rules, ...rules] },
    ...(sandbox && { sandbox: { ...own.sandbox, project: sandbox } }),
    hooks: [...own.hooks, ...hooks],
    ...(worktree && { worktree: { ...own.worktree, project: worktree } }),
  }
}

/**
 * The effective content of a project's `.trestle/config.toml`. Everything but rules, hooks, disabled tools, the step
 * limit, a stricter sandbox and worktree preparation is ignored and reported.
 */
interface ProjectConfig {
  rules: readonly PermissionRule[]
  hooks: readonly Hook[]
  disabledTools: readonly string[]
  maxSteps?: number
  sandbox?: ProjectSandbox
  worktree?: ProjectWorktree
  problems: readonly ConfigProblem[]
}

/** Maximum number of parsed texts in the cache: every call needs one. */
const MAX_CACHED_CONFIGS = 16
const configCache = new Map<string, Promise<ProjectConfig>>()

/** Never fails: if a file does not parse, its rules are unknown, so everything asks. */
export function readProjectConfig(text: string, file: string, problem?: ConfigProblem): Promise<ProjectConfig> {
  const key = JSON.stringify([file, text, problem?.message])
  const known = configCache.get(key)
  if (known) return known
  const read = parseProjectConfig(text, file, problem)
  configCache.set(key, read)
  for (const oldest of configCache.keys()) if (configCache.size > MAX_CACHED_CONFIGS) configCache.delete(oldest)
  return read
}

async function parseProjectConfig(text: string, file: string, problem?: ConfigProblem): Promise<ProjectConfig> {
  const origin = { scope: 'project', file } as const
  const { table, problems } = parseConfig(problem ? { problem } : { text }, file)
  if (!table)
    return {
      rules: [unreadableRules(origin, 'the file cannot be read', problems[0])],
      hooks: [],
      disabledTools: [],
      problems,
    }
  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const tools = top.table('tools')
  const loop = top.table('loop')
  const permission = top.table('permission')
  const sandbox = readProjectSandbox(top.table('sandbox'))
  const worktree = readProjectWorktree(top.table('worktree'))
  const disabledTools = tools?.strings('disabled') ?? []
  const maxSteps = loop?.number('max_steps', { min: 1, max: 100_000 })
  const rules = readPermissionRules(permission, origin)
  const hooks = readHooks(top, origin)
  if (top.has('permission') && !permission) rules.push(unreadableRules(origin, 'permission is not a table'))
  rejectOtherKeys(top, ['tools', 'loop', 'permission', 'hooks', 'sandbox', 'worktree'])
  if (tools) rejectOtherKeys(tools, ['disabled'])
  if (loop) rejectOtherKeys(loop, ['max_steps'])
  return {
    rules: await locateRules(rules, text),
    hooks: await locateHooks(hooks, text),
    disabledTools,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(top.has('sandbox') && { sandbox }),
    ...(worktree && { worktree }),
    problems: await locateMistakes(mistakes, text, file),
  }
}

function rejectOtherKeys(reader: TableReader, allowed: readonly string[]): void {
  for (const key of reader.keys())
    if (!allowed.includes(key)) reader.mistake(key, 'is ignored: only your own config may set this')
}

export interface FolderSettingsDeps {
  home: string
  settings(): Settings
  /** Hooks of the active plugins in a folder. */
  pluginHooks?(folder: string): Promise<readonly Hook[]>
  /** Called when a project's configuration has changed since the last check, so that the user can review it. */
  onChanged(folder: string): void
}

/** Returns the current settings for work in a folder. `folder` is a real path. */
export function createFolderSettings({
  home,
  settings,
  pluginHooks,
  onChanged,
}: FolderSettingsDeps): (folder: string) => Promise<FolderSettings> {
  const seen = new Map<string, string>()
  return async (folder) => {
    const found = await projectSettings(folder, settings(), home)
    const now = `${found.trust.state} ${found.trust.hash}`
    const before = seen.get(folder)
    seen.set(folder, now)
    if (before !== undefined && before !== now) onChanged(folder)
    const hooks = (await pluginHooks?.(folder)) ?? []
    if (hooks.length === 0) return found
    return { ...found, settings: { ...found.settings, hooks: [...found.settings.hooks, ...hooks] } }
  }
}
