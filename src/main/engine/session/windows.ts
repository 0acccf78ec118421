import type { KnownWindow } from '../context/create-room'
import { createLearnedSizes, type LearnedSizes } from '../context/learned-sizes'
import type { ModelInfo } from '../model/provider'

/** A window is taken for this share of what was refused, where the provider has not said how large it is. */
const SHARE_OF_REFUSED = 0.95

/** What is known of the windows of models: as configured or as a provider has shown, and how many tokens there are in a text. */
export interface Windows {
  of(model: Pick<ModelInfo, 'id' | 'contextWindow'>): KnownWindow
}

interface Learned {
  /** Absent: as configured. */
  tokens?: number
  /** The longest request that was answered. */
  answered: number
  /** The longest answer of a request that names none. */
  usualAnswer?: number
  sizes: LearnedSizes
}

/** Remembered for as long as the process lives: the next one learns the sizes from the log, and a smaller window from the next refusal. */
export function createWindows(): Windows {
  const models = new Map<string, Learned>()
  return {
    of({ id, contextWindow }) {
      let known = models.get(id)
      if (!known) models.set(id, (known = { answered: 0, sizes: createLearnedSizes() }))
      const learned = known
      const tokens = (): number => Math.min(contextWindow, Math.max(learned.answered, learned.tokens ?? contextWindow))
      return {
        tokens,
        sizes: learned.sizes,
        isLearned: () => tokens() < contextWindow,
        refused(used, most) {
          learned.tokens = most ?? Math.round(Math.min(tokens(), used) * SHARE_OF_REFUSED)
          // What the provider says itself counts for more than what it has answered once.
          if (most !== undefined) learned.answered = Math.min(learned.answered, most)
        },
        answered(answered) {
          learned.answered = Math.max(learned.answered, answered)
        },
        usualAnswer: () => learned.usualAnswer,
        asksFor(asked) {
          learned.usualAnswer = asked
        },
      }
    },
  }
}
