import type { Usage } from '../model/message'
import { addUsage } from './fold-header'
import type { AnswerItem, TranscriptItem, UserItem } from './transcript-item'

/** What is known about a turn that has ended. */
export interface TurnFigures {
  /** The message that started it; absent: news of tasks did, or it is not loaded. */
  prompt?: UserItem
  /** When it ended, in ms since the epoch. */
  endedAt: number
  durationMs: number
  /** Ids of the models that answered, in that order. */
  models: readonly string[]
  /** Tokens of all its requests; absent: not all of them are known. */
  usage?: Usage
}

const known = new WeakMap<AnswerItem, TurnFigures>()

/**
 * The figures of the turn that the answer at `index` ends; undefined for all other rows. Cached once the beginning of
 * the turn is loaded.
 */
export function turnFigures(items: readonly TranscriptItem[], index: number): TurnFigures | undefined {
  const answer = items[index]
  if (answer?.kind !== 'answer' || !answer.ended) return undefined
  const cached = known.get(answer)
  if (cached) return cached
  const answers: AnswerItem[] = []
  let start: TranscriptItem | undefined
  for (let n = index; n >= 0 && !start; n -= 1) {
    const item = items[n]
    if (item?.turnId !== answer.turnId) {
      // Rows between turns have no turn.
      if (item && item.turnId !== '') break
      continue
    }
    if (item.kind === 'answer') answers.unshift(item)
    if ((item.kind === 'user' || item.kind === 'news') && !item.steered) start = item
  }
  const usages = answers.flatMap(({ usage }) => (usage ? [usage] : []))
  const figures: TurnFigures = {
    endedAt: answer.ended.at,
    durationMs: answer.ended.durationMs,
    models: [...new Set(answers.map(({ model }) => model))],
    ...(start?.kind === 'user' && { prompt: start }),
    ...(start && usages.length > 0 && { usage: usages.reduce(addUsage) }),
  }
  if (start) known.set(answer, figures)
  return figures
}
