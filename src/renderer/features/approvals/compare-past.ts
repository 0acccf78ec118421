import type { RuleChoice } from '../../../shared/model/approval'

export type PastCommand = RuleChoice['past'][number]

export interface PastVerdicts {
  /** Judged differently by the rule: what it is about. */
  changed: PastCommand[]
  alike: PastCommand[]
  /** Both in a sentence. */
  summary: string
}

/** How a rule would have judged what the session has run so far; the same command with the same verdicts counts once. */
export function comparePast(past: readonly PastCommand[]): PastVerdicts {
  const once = [...new Map(past.map((one) => [JSON.stringify([one.command, one.before, one.after]), one])).values()]
  const changed = once.filter(({ before, after }) => before !== after)
  const alike = once.filter(({ before, after }) => before === after)
  if (once.length === 0) return { changed, alike, summary: 'No earlier commands in this session to compare with.' }
  const summary =
    changed.length === 0
      ? 'Wouldn’t have changed any earlier decision.'
      : `Would have changed ${changed.length} of ${once.length} earlier ${once.length === 1 ? 'decision' : 'decisions'}.`
  return { changed, alike, summary }
}
