import { setImmediate as nextTurn } from 'node:timers/promises'
import { FEATURE_TEXT } from '../../../shared/configuration/features'
import type { FeatureTokens } from '../customize/settings-actions'
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
  tokens: FeatureTokens
  memory: Pick<EngineMemory, 'recall' | 'actions'>
  /** Which sessions the user has read and pinned. */
  marks: MarkActions
  /** What was spent, and the limits on it. */
  usage: EngineUsage
  /** Notifications and alarms. */
  device: Pick<EngineDevice, 'notifyUser' | 'notifications' | 'alarms' | 'begin'>
  mail: Pick<EngineMail, 'actions' | 'watch'>
  schedule: Omit<EngineSchedule, 'tools'>
  /** The user's own terminals. */
  terminals: Omit<EngineTerminals, 'close'>
  git(): Promise<GitActions>
  worktrees: EngineWorktrees
  places: EnginePlaces
  /** Paired phones and other computers. */
  pairing: DeviceActions
  close(): Promise<void>
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
  return {
    tools,
    tokens: featureTokens(tools),
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
    async close() {
      device.close()
      mail.close()
      await terminals.close()
    },
  }
}

/** The marks of an engine, read on first use. */
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

/** The usage of model requests, and the limits on it. */
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

/** Describing all tools takes 10 to 25 ms, so `count` does it tool by tool, with other work in between. */
export function featureTokens(tools: () => readonly Tool[]): FeatureTokens {
  const sizes = new Map<string, number>()
  let all: readonly Tool[] | undefined
  let counting: Promise<void> | undefined
  const sizeOf = (name: string): number => {
    all ??= tools()
    const tool = all.find((one) => one.name === name)
    if (!sizes.has(name)) sizes.set(name, tool ? Math.round(textTokens(briefLine(tool))) : 0)
    return sizes.get(name)!
  }
  return {
    of: (feature) => FEATURE_TEXT[feature].tools.reduce((sum, name) => sum + sizeOf(name), 0),
    count: () =>
      (counting ??= (async () => {
        for (const { tools: names } of Object.values(FEATURE_TEXT))
          for (const name of names) {
            sizeOf(name)
            await nextTurn()
          }
      })()),
  }
}
