import { FEATURE_TEXT, type Feature } from '../../shared/configuration/features'
import { textTokens } from './context/tokens/token-estimate'
import type { EngineFoundation } from './engine-foundation'
import { createEngineMemory, type EngineMemory } from './engine-memory'
import { createEngineSchedule, type EngineSchedule } from './engine-schedule'
import type { Session } from './session/session'
import { briefLine } from './tool/brief-tools'
import { getLocalTimeTool } from './tool/device/get-local-time'
import type { Tool } from './tool/tool'
import type { Workspace } from './workspace/workspace'

/** The features beyond the core: memory, schedules, mail, alarms, plugins, and their tools. */
export interface EngineFeatures {
  /** The tools of all features for a session; which of them are offered depends on the settings. */
  tools(session: Session, workspace: Workspace): readonly Tool[]
  /** Tokens that the tools of a feature add to each request. */
  tokens(feature: Feature): number
  memory: Pick<EngineMemory, 'recall' | 'actions'>
  schedule: Omit<EngineSchedule, 'tools'>
  close(): void
}

/** Creates the features. They cost nothing until they are used. */
export function createFeatures(foundation: EngineFoundation): EngineFeatures {
  const memory = createEngineMemory(foundation)
  const schedule = createEngineSchedule(foundation)
  const tools = (session?: Session): readonly Tool[] => [
    getLocalTimeTool(),
    ...memory.tools(session),
    ...schedule.tools(session),
  ]
  return {
    tools,
    tokens: (feature) =>
      tools()
        .filter(({ name }) => FEATURE_TEXT[feature].tools.includes(name))
        .reduce((sum, tool) => sum + Math.round(textTokens(briefLine(tool))), 0),
    memory,
    schedule,
    close() {},
  }
}
