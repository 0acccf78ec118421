import type { RecordedEvent } from './event'

/** What people are told when another model took over. */
export function fellBackText({ from, to, failure }: Extract<RecordedEvent, { type: 'model.fell_back' }>): string {
  return `${from} does not answer (${failure.title.toLowerCase()}), so ${to} goes on with this turn. The next turn asks ${from} again.`
}
