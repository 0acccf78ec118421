import type { Question, QuestionAnswer } from '../../../shared/model/question'

/** What is chosen so far for one question. `writes`: "Other" is chosen; what is written there is kept also while it is not. */
export interface Picks {
  labels: readonly string[]
  writes: boolean
  other: string
}

export const NOTHING: Picks = { labels: [], writes: false, other: '' }

/** Chooses an option (the one after the last is "Other"), or takes it back where several can be chosen. */
export function pick({ options, multi_select: multiple }: Question, picks: Picks, index: number): Picks {
  const label = options[index]?.label
  if (label === undefined) return { ...picks, writes: multiple ? !picks.writes : true, ...(!multiple && { labels: [] }) }
  if (!multiple) return { ...picks, labels: [label], writes: false }
  const labels = picks.labels.includes(label) ? picks.labels.filter((one) => one !== label) : [...picks.labels, label]
  // In the order of the options, however they were chosen.
  return { ...picks, labels: options.map((option) => option.label).filter((one) => labels.includes(one)) }
}

export function isAnswered({ labels, writes, other }: Picks): boolean {
  return writes ? other.trim() !== '' : labels.length > 0
}

export function answerOf({ labels, writes, other }: Picks): QuestionAnswer {
  return { labels: [...labels], ...(writes && { other: other.trim() }) }
}
