import { homedir } from 'node:os'
import { join } from 'node:path'
import { createDiagnostics } from '../diagnostics/session-diagnostics'
import type { EngineOptions } from './engine-options'
import type { EngineFoundation } from './engine-foundation'
import { createHooks } from '../hook/hooks'
import { openSkillCache } from '../skill/skill-cache'
import { builtInSkills, createSkills } from '../skill/skills'
import { createTaskSupervisor } from '../task/client/create-task-supervisor'
import { InProcessTasks, inProcessTerminals } from '../task/run/in-process-tasks'
import { createEngineSandboxes } from '../turn/session/session-sandboxes'
import { repositoryRoot } from '../workspace/path/repository-root'

export type EngineExecution = ReturnType<typeof createExecution>

/**
 * Creates the parts of an engine that run programs: sandboxes, tasks, hooks, language servers, and the skills that
 * commands may read. Nothing is started until it is needed.
 */
export function createExecution(foundation: EngineFoundation, options: EngineOptions) {
  const { home, config, settings, settingsFor, effectiveHeader, env, environment, now, log } = foundation
  const { ready } = environment
  const { interactive = false } = options
  const {
    sessions: sandboxes,
    programs: programSandboxes,
    clientCapabilities,
  } = createEngineSandboxes({ home, config, settingsFor, effectiveHeader, log })
  const inProcessTasks = new InProcessTasks({ home, log })
  const machine = createTaskSupervisor({
    home,
    // Without a UI that shows terminals, commands run in this process.
    interactive: options.canType ?? interactive,
    env,
    ready,
    settings: () => settings().tasks,
    local: inProcessTerminals(inProcessTasks, { home, env, settings: () => settings().tasks }),
    ...(options.taskHost && { program: options.taskHost }),
    log,
  })
  let skillCache: ReturnType<typeof openSkillCache> | undefined
  const skills = createSkills({
    home,
    userHome: homedir(),
    builtIn: builtInSkills(),
    cache: () => (skillCache ??= openSkillCache(join(home, 'cache', 'skills.json'))),
    repositoryTop: repositoryRoot,
    disabled: () => settings().skills.disabled,
    plugins: foundation.plugins.active,
  })
  const hooks = createHooks({
    home,
    interactive,
    env,
    ready,
    hooksOf: async (folder) => (await settingsFor(folder)).settings.hooks,
    sandboxes: programSandboxes,
    now,
    log,
  })
  const diagnostics = createDiagnostics({ home, env, settingsFor, sandboxes: programSandboxes, log })
  return { sandboxes, programSandboxes, clientCapabilities, machine, inProcessTasks, skills, hooks, diagnostics }
}
