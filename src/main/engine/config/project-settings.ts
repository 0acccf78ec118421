import type { ConfigProblem } from '../../../shared/model/settings'
import { kindOf } from './trust/project-files'
import { readProjectConfig, type ProjectConfig } from './project-config'
import type { Hook } from './hook-settings'
import type { Settings } from './settings'
import { standingOf, type Standing } from './trust/standing'

/** The settings for work in one folder, and how far the project has a say in them. */
export interface FolderSettings {
  settings: Settings
  problems: ConfigProblem[]
  standing: Pick<Standing, 'state' | 'hash'>
}

/**
 * The settings for work in `folder` (a real path): the user's own, and what the project's `.trestle/config.toml` adds. Such a file comes with
 * the project, from anybody: it does nothing until the user trusts it, word for word. Then its rules and hooks count, it can switch tools off and lower
 * `[loop] max_steps` and make the sandbox stricter; everything else in it (providers, addresses, headers, keys above all) is ignored and reported. After a change, until the
 * user has looked at it, what was accepted before still restricts, but allows nothing and only
 * watches over what is done. Never fails.
 */
export async function projectSettings(folder: string, own: Settings, home: string): Promise<FolderSettings> {
  const { state, hash, files, accepted, problem } = standingOf(home, folder)
  const standing = { state, hash }
  const problems = problem ? [problem] : []
  if (state === 'trusted') {
    let settings = own
    for (const { file, text, problem: unreadable } of files.filter(({ kind }) => kind === 'rules')) {
      const config = await readProjectConfig(text, file, unreadable)
      problems.push(...config.problems)
      settings = withProject(settings, config)
    }
    return { settings, problems, standing }
  }
  let settings = own
  for (const { file, text } of files.length === 0 ? [] : (accepted?.files ?? []).filter((old) => kindOf(folder, old.file) === 'rules')) {
    const config = await readProjectConfig(text, file)
    settings = withProject(settings, { ...config, ...restricting(config) })
  }
  return { settings, problems, standing }
}

/** Hooks on these events can keep the agent from something. */
const WATCHING: readonly Hook['event'][] = ['UserPromptSubmit', 'PreToolUse', 'beforeWriteFile']

function restricting({ rules, hooks }: ProjectConfig): Pick<ProjectConfig, 'rules' | 'hooks'> {
  return {
    rules: rules.filter((rule) => rule.decision !== 'allow'),
    hooks: hooks.filter(({ event }) => WATCHING.includes(event)),
  }
}

function withProject(own: Settings, { rules, hooks, disabledTools, sandbox, maxSteps = own.loop.maxSteps }: ProjectConfig): Settings {
  return {
    ...own,
    loop: { ...own.loop, maxSteps: Math.min(maxSteps, own.loop.maxSteps) },
    tools: { ...own.tools, disabled: [...new Set([...own.tools.disabled, ...disabledTools])] },
    permission: { rules: [...own.permission.rules, ...rules] },
    ...(sandbox && { sandbox: { ...own.sandbox, project: sandbox } }),
    hooks: [...own.hooks, ...hooks],
  }
}
