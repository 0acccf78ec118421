import { projectFolder } from '../../shared/model/scratch-folder'
import { CodedError } from '../../shared/errors'
import { createSpendingGuard, type SpendingVerdict } from './budget/ask-to-continue'
import { createSpendingLimits } from './budget/spending-limits'
import { sessionUsage, usageReport, type UsageActions, type UsageReportDeps } from './budget/usage-report'
import type { EngineFoundation } from './engine-foundation'
import { priceTable } from './model/catalog/models-table'
import type { Session } from './session/session'
import { createSpendingRows, type SpendingOwner, type SpendingRows } from './store/spending-rows'

export interface EngineUsage {
  actions: UsageActions
  /** Asks the user when a spending limit is reached. Without limits it costs nothing. */
  beforeRequest(session: Session, turnId: string, signal: AbortSignal): Promise<SpendingVerdict>
}

/** What requests to models took, and the limits on it. */
export function createEngineUsage({ database, store, settings, now, newId, warn }: EngineFoundation): EngineUsage {
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
