import { CodedError, type Failure } from '../../../shared/errors'
import { limitAmount } from '../../../shared/model/turn/usage'
import type { TurnCalls } from '../loop/turn-context'
import { isNear, isReached, nearText, reachedText, type Limit, type SpendingLimits } from './spending-limits'
import type { SpendingOwner } from '../store/rows/spending-rows'

/** A turn that is about to send a request to its model. */
export interface SpendingTurn {
  owner: SpendingOwner
  turnId: string
  signal: AbortSignal
  ask: TurnCalls['ask']
}

/** Whether the next request may be made. `stopped`: the user declined, or the turn was stopped in the meantime. */
export type SpendingVerdict = 'allowed' | 'stopped' | { failure: Failure }

const STOP = 'stop'
const CONTINUE = 'continue'

/** The name shown instead of a tool in questions about spending. */
const SPENDING_TOOL = 'Spending limit'

export interface SpendingGuard {
  beforeRequest(turn: SpendingTurn): Promise<SpendingVerdict>
}

/** If a limit is reached, asks the user before the next request. Agents that share a limit share the question. */
export function createSpendingGuard(deps: {
  limits: SpendingLimits
  newId(prefix: string): string
  /** Shows the user a warning; the same text only once. */
  warn(text: string): void
}): SpendingGuard {
  const { limits, newId, warn } = deps
  /** Open questions, by the key of the limit. */
  const open = new Map<string, Promise<unknown>>()
  /** Limits for which a warning was shown, with their amounts: a raised limit warns again. */
  const warned = new Set<string>()

  const ask = async (limit: Limit, { turnId, signal, ask: question }: SpendingTurn) => {
    const text = reachedText(limit)
    const answer = await question(
      { turnId, callId: newId('spending'), tool: SPENDING_TOOL },
      {
        asks: 'budget',
        summary: text,
        reason: 'The work is paused. Limits are set in Settings, under Usage limits.',
        preview: { kind: 'text', text },
        options: [
          {
            optionId: CONTINUE,
            kind: 'allow_once',
            name: `Continue for another ${limitAmount(limit.step, limit.unit)}`,
          },
          { optionId: STOP, kind: 'reject_once', name: 'Stop' },
        ],
      },
      signal,
    )
    if ('none' in answer)
      return answer.none === 'unattended' ? { failure: new CodedError('budget.reached', text).failure } : 'stopped'
    if (answer.optionId !== CONTINUE) return 'stopped'
    limits.raise(limit)
    return 'allowed'
  }

  return {
    async beforeRequest(turn) {
      for (;;) {
        if (turn.signal.aborted) return 'stopped'
        const states = limits.states(turn.owner)
        for (const state of states.filter(isNear)) {
          const key = `${state.unit} ${state.key} ${state.limit}`
          if (!warned.has(key)) warn(nearText(state))
          warned.add(key)
        }
        const reached = states.find(isReached)
        if (!reached) return 'allowed'
        const asked = open.get(reached.key)
        if (asked) {
          // If the question fails, this turn asks the user itself.
          await Promise.race([asked.catch(() => undefined), aborted(turn.signal)])
          continue
        }
        const question = ask(reached, turn)
        open.set(reached.key, question)
        try {
          const verdict = await question
          if (verdict !== 'allowed') return verdict
        } finally {
          open.delete(reached.key)
        }
      }
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
