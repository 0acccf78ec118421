import { CodedError, type Failure } from '../../../shared/errors'
import { limitAmount } from '../../../shared/model/turn/usage'
import type { TurnCalls } from '../loop/turn-context'
import { isNear, isReached, nearText, reachedText, type Limit, type SpendingLimits } from './spending-limits'
import type { SpendingOwner } from '../store/rows/spending-rows'

/** A turn that is about to ask its model. */
export interface SpendingTurn {
  owner: SpendingOwner
  turnId: string
  signal: AbortSignal
  ask: TurnCalls['ask']
}

/** May the next request be made? `stopped`: the user said no, or the turn was stopped meanwhile. */
export type SpendingVerdict = 'allowed' | 'stopped' | { failure: Failure }

const STOP = 'stop'
const CONTINUE = 'continue'

/** What a question about spending names in place of a tool. */
const SPENDING_TOOL = 'Spending limit'

export interface SpendingGuard {
  beforeRequest(turn: SpendingTurn): Promise<SpendingVerdict>
}

/** Stops before a request when a limit is reached, and asks the user. Agents that share a limit share the question. */
export function createSpendingGuard(deps: {
  limits: SpendingLimits
  newId(prefix: string): string
  /** Shows the user a warning; each text only once. */
  warn(text: string): void
}): SpendingGuard {
  const { limits, newId, warn } = deps
  /** Questions that are open, by the key of the limit. */
  const open = new Map<string, Promise<unknown>>()
  /** Limits that a warning was given for, as they stood. */
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
          // When the question fails, this turn asks itself.
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
