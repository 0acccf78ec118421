import { limitAmount, limitName, isNearLimit, type LimitState } from '../../../shared/model/turn/usage'
import { limitsOf, type BudgetSettings } from '../config/agent-settings/budget-settings'
import type { SpendingOwner, SpendingRows } from '../store/rows/spending-rows'

/** A limit with its key. */
export interface Limit extends LimitState {
  /** The key for amounts added by the user: this session, this day, or this project in this month. */
  key: string
  /** The limit in the settings. */
  step: number
}

export interface SpendingLimits {
  /** The current state of all configured limits. */
  states(owner: SpendingOwner): Limit[]
  /** Raises the limit by the amount in the settings, at the user's request. */
  raise(limit: Limit): void
}

type Rows = Pick<SpendingRows, 'limited' | 'raised' | 'raise'>

/** Spending limits. Subagents count toward the session that a person started. */
export function createSpendingLimits(deps: {
  rows: () => Rows
  settings(): BudgetSettings
  now(): number
}): SpendingLimits {
  return {
    states(owner) {
      const limits = limitsOf(deps.settings())
      // Without limits, the table is not read.
      if (limits.length === 0) return []
      const rows = deps.rows()
      return limits.map(({ scope, unit, limit }) => {
        const sum = rows.limited(scope, owner, deps.now())
        return {
          scope,
          unit,
          step: limit,
          limit: limit + rows.raised(sum.key, unit),
          spent: unit === 'dollars' ? sum.cost : sum.input + sum.output,
          unpriced: unit === 'dollars' ? sum.unpriced : 0,
          key: sum.key,
        }
      })
    },
    raise({ key, unit, limit, spent, step }) {
      // One answer has to be enough, even if the last request went far beyond the limit.
      deps.rows().raise(key, unit, Math.max(step, spent - limit + step))
    },
  }
}

export function isReached({ limit, spent }: Pick<LimitState, 'limit' | 'spent'>): boolean {
  return spent >= limit
}

export function isNear(state: Pick<LimitState, 'limit' | 'spent'>): boolean {
  return !isReached(state) && isNearLimit(state)
}

/** A sentence about a limit that is reached. */
export function reachedText({ scope, unit, limit, spent, unpriced }: LimitState): string {
  const more = unpriced === 0 ? '' : ` ${unpricedText(unpriced)}`
  return (
    `The limit of ${limitAmount(limit, unit)} for ${limitName(scope)} is reached: ` +
    `${limitAmount(spent, unit)} so far.${more}`
  )
}

/** A sentence about a limit that is nearly reached. */
export function nearText({ scope, unit, limit, spent, unpriced }: LimitState): string {
  const more = unpriced === 0 ? '' : ` ${unpricedText(unpriced)}`
  return (
    `${Math.floor((spent / limit) * 100)}% of the limit of ` +
    `${limitAmount(limit, unit)} for ${limitName(scope)} is used.${more}`
  )
}

function unpricedText(requests: number): string {
  return (
    `${requests === 1 ? '1 request is' : `${requests} requests are`} not counted, ` +
    'because the price of the model is unknown; a limit in tokens counts all.'
  )
}
