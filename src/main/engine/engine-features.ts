import { FEATURE_TEXT, type Feature } from '../../shared/configuration/features'
import { textTokens } from './context/tokens/token-estimate'
import type { EngineFoundation } from './engine-foundation'
import { createEngineGit } from './engine-git'
import { createEngineDevice, type DeviceOptions, type EngineDevice } from './engine-device'
import { createEngineMail, type EngineMail } from './engine-mail'
import { createEngineMarks } from './engine-marks'
import { createEngineMemory, type EngineMemory } from './engine-memory'
import { createEngineSchedule, type EngineSchedule } from './engine-schedule'
import { createEnginePlaces, type EnginePlaces } from './engine-places'
import { PairedDevices, type DeviceActions } from './pairing/paired-devices'
import type { PlaceTestOptions } from './place/place-actions'
import { createEngineTerminals, type EngineTerminals } from './engine-terminals'
import type { EngineOptions } from './engine-api'
import { createEngineWorktrees, type EngineWorktrees } from './engine-worktree'
import type { GitActions } from './git/git-actions'
import { createEngineUsage, type EngineUsage } from './engine-usage'
import type { Session } from './session/session'
import type { MarkActions } from './store/mark-rows'
import { briefLine } from './tool/brief-tools'
import type { Tool } from './tool/tool'
import type { Workspace } from './workspace/workspace'

/** The features beyond the core: memory, schedules, mail, alarms, plugins, and their tools. */
export interface EngineFeatures {
  /** The tools of all features for a session; which of them are offered depends on the settings. */
  tools(session: Session, workspace: Workspace): readonly Tool[]
  /** Tokens that the tools of a feature add to each request. */
  tokens(feature: Feature): number
  memory: Pick<EngineMemory, 'recall' | 'actions'>
  /** Which sessions the user has read and pinned. */
  marks: MarkActions
  /** What was spent, and the limits on it. */
  usage: EngineUsage
  /** Notifications and alarms. */
  device: Pick<EngineDevice, 'notifyUser' | 'notifications' | 'alarms' | 'begin'>
  mail: Pick<EngineMail, 'actions' | 'watch'>
  schedule: Omit<EngineSchedule, 'tools'>
  /** Terminals of the user's own. */
  terminals: Omit<EngineTerminals, 'close'>
  git(): Promise<GitActions>
  worktrees: EngineWorktrees
  places: EnginePlaces
  /** Paired phones and other computers. */
  pairing: DeviceActions
  close(): void
}

/** Creates the features. They cost nothing until they are used. */
export function createFeatures(
  foundation: EngineFoundation,
  options: DeviceOptions & Pick<EngineOptions, 'taskHost'> & { version?: string; places?: PlaceTestOptions } = {},
): EngineFeatures {
  const device = createEngineDevice(foundation, options)
  const memory = createEngineMemory(foundation)
  const mail = createEngineMail(foundation)
  const schedule = createEngineSchedule(foundation, { device, mail })
  const terminals = createEngineTerminals(foundation, options)
  const tools = (session?: Session, workspace?: Workspace): readonly Tool[] => [
    ...device.tools(session, workspace),
    ...memory.tools(session),
    ...schedule.tools(session),
    ...mail.tools(workspace),
  ]
  // Every view of the settings shows them, and describing all tools takes 10 ms.
  let tokens: Record<Feature, number> | undefined
  return {
    tools,
    tokens: (feature) => (tokens ??= tokensByFeature(tools()))[feature],
    memory,
    marks: createEngineMarks(foundation),
    usage: createEngineUsage(foundation),
    schedule,
    git: createEngineGit(foundation),
    worktrees: createEngineWorktrees(foundation, { device }),
    places: createEnginePlaces(foundation, { version: '', ...options }),
    pairing: new PairedDevices(foundation.home, foundation.now),
    device,
    mail,
    terminals,
    close() {
      terminals.close()
      device.close()
      mail.close()
    },
  }
}

function tokensByFeature(tools: readonly Tool[]): Record<Feature, number> {
  const sizes = new Map(tools.map((tool) => [tool.name, Math.round(textTokens(briefLine(tool)))]))
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
  return Object.fromEntries(
    Object.entries(FEATURE_TEXT).map(([feature, { tools: names }]) => [feature, sum(names)]),
  ) as Record<Feature, number>
}
