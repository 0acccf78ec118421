import type { Feature } from '../../shared/configuration/features'
import type { EngineFoundation } from './engine-foundation'
import type { Session } from './session/session'
import { getLocalTimeTool } from './tool/device/get-local-time'
import type { Tool } from './tool/tool'
import type { Workspace } from './workspace/workspace'

/** The features beyond the core: memory, schedules, mail, alarms, plugins, and their tools. */
export interface EngineFeatures {
  /** The tools of all features for a session; which of them are offered depends on the settings. */
  tools(session: Session, workspace: Workspace): readonly Tool[]
  /** Tokens that the tools of a feature add to each request. */
  tokens(feature: Feature): number
  close(): void
}

/** Creates the features. They cost nothing until they are used. */
export function createFeatures(_foundation: EngineFoundation): EngineFeatures {
  return {
    tools: () => [getLocalTimeTool()],
    tokens: () => 0,
    close() {},
  }
}
