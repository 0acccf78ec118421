import type { Message, Usage } from '../../../shared/model/message'
import { tokensOf } from './estimate'

/** The provider's count is not believed below this share of the estimate: some servers report none, or only what was not cached. */
const LEAST_SHARE = 0.8

export interface TokenCount {
  /** Tokens of the history with all that is sent along: what the provider has counted, and an estimate of what came after. */
  used(): number
  /** The provider's count of the history as it is now. */
  counted(usage: Usage): void
  /** Messages were exchanged for shorter ones, `fewer` tokens in all. */
  shortened(fewer: number): void
  /** The history is another one. */
  restart(): void
}

/**
 * Counts a history that grows. Each message is looked at once. `fixed`: tokens of the instructions and tools as they are now; `known`: the provider's count of the history up
 * to its last answer.
 */
export function createTokenCount(history: readonly Message[], fixed: () => number, known?: Usage): TokenCount {
  let seen = 0
  let fixedSeen = fixed()
  let estimate = fixedSeen
  /** The provider's count less the estimate at that time. */
  let difference: number | undefined
  const look = (end = history.length): void => {
    // Tools come and go while a turn runs.
    const now = fixed()
    estimate += now - fixedSeen
    fixedSeen = now
    for (; seen < end; seen += 1) estimate += tokensOf(history[seen]!)
  }
  const set = ({ input, output }: Usage): void => {
    difference = input + output - estimate
  }
  const answered = history.findLastIndex(({ role }) => role === 'assistant') + 1
  if (known && answered > 0) {
    look(answered)
    set(known)
  }
  return {
    used() {
      look()
      return difference === undefined ? estimate : Math.max(estimate + difference, estimate * LEAST_SHARE)
    },
    counted(usage) {
      look()
      set(usage)
    },
    shortened(fewer) {
      estimate -= fewer
    },
    restart() {
      seen = 0
      estimate = fixedSeen = fixed()
      difference = undefined
    },
  }
}
