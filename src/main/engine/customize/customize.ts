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
  const notifying =
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
      add: notifying(rules.add),
      change: notifying(rules.change),
      remove: notifying(rules.remove),
      move: notifying(rules.move),
    },
    hooks: {
      ...hookActions,
      add: notifying(hookActions.add),
      change: notifying(hookActions.change),
      remove: notifying(hookActions.remove),
      move: notifying(hookActions.move),
    },
    skills: {
      ...skillActions,
      create: notifying(skillActions.create),
      save: notifying(skillActions.save),
      remove: notifying(skillActions.remove),
      setEnabled: notifying(skillActions.setEnabled),
    },
    agents: {
      ...agents,
      create: notifying(agents.create),
      save: notifying(agents.save),
      remove: notifying(agents.remove),
    },
    undo: notifying(files.undo),
  }
}
