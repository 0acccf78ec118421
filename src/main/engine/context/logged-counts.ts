import type { Message, Usage } from '../../../shared/model/message'
import { noSize, plusSize, sizeOf } from './estimate'
import type { CountReader } from './history'
import type { LearnedSizes } from './learned-sizes'
import type { CountedRequest } from './token-count'

export interface LoggedCounts extends CountReader {
  /** The latest count, if it is still of the history that was folded. */
  latest(): CountedRequest | undefined
}

/**
 * Reads from the log what the provider has counted for the requests of `model`: after a restart its sizes are known as before. `sizes` learn from it only
 * where they know nothing yet: what was counted in this process they know already.
 */
export function createLoggedCounts(model: string, sizes: LearnedSizes): LoggedCounts {
  const learns = !sizes.hasLearned()
  let asked = model
  let latest: CountedRequest | undefined
  return {
    turn(of) {
      asked = of
      if (of !== model) latest = undefined
    },
    counted(messages: readonly Message[], usage: Usage) {
      if (asked !== model) return
      // What came between two requests, and what it took: instructions and tools are in both.
      if (latest && learns) {
        const since = messages.slice(latest.messages).reduce((size, message) => plusSize(size, sizeOf(message)), noSize())
        sizes.learn(since, usage.input - latest.usage.input)
      }
      latest = { messages: messages.length, usage }
    },
    replaced() {
      latest = undefined
    },
    latest: () => latest,
  }
}
