/** One generalisation: rules that allow a part of a call. */
export interface Rung {
  patterns: string[]
  /** What they cover, to follow "allow". */
  label: string
}
