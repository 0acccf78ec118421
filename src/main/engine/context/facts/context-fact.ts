/**
 * One thing the model is told about its surroundings: the date, the permission mode, an instruction file, the skills. All facts are in the system prompt when
 * a conversation begins and after each compaction; what changes in between is sent as a later message, so that the prefix of the request stays the same.
 */
export interface ContextFact {
  /** Unique in a session and the same over its life, e.g. `date`, `mode`, `instructions:/project/AGENTS.md`. */
  key: string
  /** As it appears in the system prompt: one or more whole lines. */
  text: string
  /** How a change is announced, before the new text; e.g. `The file AGENTS.md has changed. It now says:`. Absent: changes are not announced. */
  changed?: string
  /** What is said when the fact is gone; absent: nothing. */
  removed?: string
  /** The text is a head and a line for each of several things: of a small change only the lines are told that came and went. */
  isList?: true
}
