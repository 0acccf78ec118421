import { FEATURE_TEXT, type Feature } from '../../../shared/configuration/features'
import { textTokens } from '../context/tokens/token-estimate'
import type { EngineFoundation } from '../foundation/engine-foundation'
import { createEngineGit } from './engine-git'
import { createEngineDevice, type DeviceOptions, type EngineDevice } from './engine-device'
import { createEngineMail, type EngineMail } from './engine-mail'
import { createEngineMemory, type EngineMemory } from './engine-memory'
import { createEngineSchedule, type EngineSchedule } from './engine-schedule'
import { createEnginePlaces, type EnginePlaces } from './engine-places'
import { PairedDevices, type DeviceActions } from '../pairing/paired-devices'
import type { PlaceTestOptions } from '../place/place-actions'
import { createEngineTerminals, type EngineTerminals } from './engine-terminals'
import type { EngineOptions } from '../foundation/engine-options'
import { createEngineWorktrees, type EngineWorktrees } from './engine-worktree'
import type { GitActions } from '../git/git-actions'
import type { Session } from '../session/session'
import { type MarkActions, createMarkRows, type MarkRows } from '../store/rows/mark-rows'
import { briefLine } from '../tool/brief-tools'
import type { Tool } from '../tool/tool'
import type { Workspace } from '../workspace/workspace'
import { projectFolder } from '../../../shared/model/project/scratch-folder'
import { CodedError } from '../../../shared/errors'
import { createSpendingGuard, type SpendingVerdict } from '../budget/ask-to-continue'
import { createSpendingLimits } from '../budget/spending-limits'
import { sessionUsage, usageReport, type UsageActions, type UsageReportDeps } from '../budget/usage-report'
import { priceTable } from '../model/catalog/models-table'
import { createSpendingRows, type SpendingOwner, type SpendingRows } from '../store/rows/spending-rows'

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

/** The marks of an engine, read when they are first looked at. */
function createEngineMarks({
  database,
  now,
  notify,
}: Pick<EngineFoundation, 'database' | 'now' | 'notify'>): MarkActions {
  let rows: MarkRows | undefined
  const marks = (): MarkRows => (rows ??= createMarkRows(database, now))
  return {
    view: () => marks().view(),
    change(change) {
      if (marks().change(change)) notify({ kind: 'marks' })
    },
  }
}

interface EngineUsage {
  actions: UsageActions
  /** Asks the user when a spending limit is reached. Without limits it costs nothing. */
  beforeRequest(session: Session, turnId: string, signal: AbortSignal): Promise<SpendingVerdict>
}

/** What requests to models took, and the limits on it. */
function createEngineUsage({ database, store, settings, now, newId, warn }: EngineFoundation): EngineUsage {
  let made: SpendingRows | undefined
  const rows = (): SpendingRows => (made ??= createSpendingRows(database))
  const limits = createSpendingLimits({ rows, settings: () => settings().budget, now })
  const guard = createSpendingGuard({ limits, newId, warn })
  const reportDeps = (): UsageReportDeps => ({ rows: rows(), store, now, prices: priceTable })
  const ownerOf = (sessionId: string): SpendingOwner => {
    const header = store.header(sessionId)
    if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
    return { rootId: header.agent?.rootId ?? sessionId, folder: projectFolder(header.folder) }
  }
  return {
    actions: {
      report: (by, days) => usageReport(reportDeps(), by, days),
      session: (sessionId, withTurns) => {
        const owner = ownerOf(sessionId)
        return {
          ...sessionUsage(reportDeps(), sessionId, withTurns),
          limits: limits
            .states(owner)
            .map(({ scope, unit, limit, spent, unpriced }) => ({ scope, unit, limit, spent, unpriced })),
        }
      },
    },
    beforeRequest: (session, turnId, signal) =>
      guard.beforeRequest({ owner: ownerOf(session.id), turnId, signal, ask: session.approvals.ask }),
  }
}

function tokensByFeature(tools: readonly Tool[]): Record<Feature, number> {
  const sizes = new Map(tools.map((tool) => [tool.name, Math.round(textTokens(briefLine(tool)))]))
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + (sizes.get(name) ?? 0), 0)
  return Object.fromEntries(
    Object.entries(FEATURE_TEXT).map(([feature, { tools: names }]) => [feature, sum(names)]),
  ) as Record<Feature, number>
}
