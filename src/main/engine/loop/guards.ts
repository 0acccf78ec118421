import type { ToolCallPart, ToolMessage } from '../../../shared/model/message'

type Ending = 'max_steps' | 'repetition'

/** The same calls with the same results this many steps in a row: the model is reminded; once more ends the turn. */
const REPEATS_TO_REMIND = 3

export interface Guards {
  /** Looks at a finished step; returns a reminder for the model when it goes in circles. */
  observe(calls: readonly ToolCallPart[], results: readonly ToolMessage[]): string | undefined
  /** Set when the turn must end with one last request without tools. */
  ending(): Ending | undefined
  lastWords(ending: Ending, maxSteps: number): string
}

/** Watches one turn for going in circles (reference/tools.md, rules for every tool). */
export function createGuards(): Guards {
  let signature = ''
  let repeats = 0
  return {
    observe(calls, results) {
      const now = JSON.stringify([calls.map((call) => [call.name, call.input]), results.map((result) => [result.isError, result.content])])
      repeats = now === signature ? repeats + 1 : 1
      signature = now
      if (repeats !== REPEATS_TO_REMIND) return undefined
      return 'You have made the same call with the same result three times in a row. Doing it again will not change anything: try another way, or answer with what you have.'
    },
    ending: () => (repeats > REPEATS_TO_REMIND ? 'repetition' : undefined),
    lastWords(ending, maxSteps) {
      const why =
        ending === 'max_steps' ? `This turn has used all of its ${maxSteps} steps.` : 'You keep making the same call with the same result.'
      return `${why} No further tool can be called. Give the best answer you have so far: what is done, what is not, and what should happen next.`
    },
  }
}
