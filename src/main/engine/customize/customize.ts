import type { Config } from '../config/config'
import type { AgentSpecs } from '../agent/agent-specs'
import type { Hooks } from '../hook/hooks'
import type { Skills } from '../skill/skills'
import { createAgentActions, type AgentActions } from './agent-actions'
import { createEditedFiles, type EditedFilesDeps } from './edited-files'
import { createHookActions, type HookActions } from './hook-actions'
import { createRuleActions, type RuleActions } from './rule-actions'
import { createSkillActions, type SkillActions } from './skill-actions'

/** The user's changes to rules, hooks, skills and agents. */
export interface Customize {
  rules: RuleActions
  hooks: HookActions
  skills: SkillActions
  agents: AgentActions
  /** Undoes a change by its id. */
  undo(undoId: string): Promise<void>
}

export interface CustomizeDeps extends EditedFilesDeps {
  config: Config
  hooks: Pick<Hooks, 'list' | 'test'>
  skills: Pick<Skills, 'all'>
  specs: Pick<AgentSpecs, 'list'>
  /** Called after a change. */
  changed(): void
}

/** See `Customize`. */
export function createCustomize({ hooks, skills, specs, changed, ...deps }: CustomizeDeps): Customize {
  const { home, config } = deps
  const files = createEditedFiles(deps)
  const told =
    <Arguments extends unknown[], Result>(work: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments): Promise<Result> => {
      const result = await work(...given)
      changed()
      return result
    }
  const rules = createRuleActions({ home, settings: () => config.settings, files })
  const hookActions = createHookActions({ files, hooks })
  const skillActions = createSkillActions({ home, config, skills, files })
  const agents = createAgentActions({ home, specs, files })
  return {
    rules: {
      ...rules,
      add: told(rules.add),
      change: told(rules.change),
      remove: told(rules.remove),
      move: told(rules.move),
    },
    hooks: {
      ...hookActions,
      add: told(hookActions.add),
      change: told(hookActions.change),
      remove: told(hookActions.remove),
      move: told(hookActions.move),
    },
    skills: {
      ...skillActions,
      create: told(skillActions.create),
      save: told(skillActions.save),
      remove: told(skillActions.remove),
      setEnabled: told(skillActions.setEnabled),
    },
    agents: { ...agents, create: told(agents.create), save: told(agents.save), remove: told(agents.remove) },
    undo: told(files.undo),
  }
}
