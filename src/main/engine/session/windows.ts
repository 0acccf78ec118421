import type { KnownWindow } from '../context/create-room'
import type { ModelInfo } from '../model/provider'

/** After a refusal the window is taken for this share of what was refused. */
const SHARE_OF_REFUSED = 0.85

/** The windows of models: as configured, or less where a provider has refused less. */
export interface Windows {
  of(model: ModelInfo): KnownWindow
}

/** Remembered for as long as the process lives: the next one finds it out again. */
export function createWindows(): Windows {
  const learned = new Map<string, number>()
  return {
    of({ id, contextWindow }) {
      const tokens = (): number => Math.min(contextWindow, learned.get(id) ?? contextWindow)
      return {
        tokens,
        isLearned: () => tokens() < contextWindow,
        refused: (refused) => void learned.set(id, Math.round(Math.min(tokens(), refused) * SHARE_OF_REFUSED)),
        answered(answered) {
          if (answered > tokens()) learned.set(id, answered)
        },
      }
    },
  }
}
