/** Reasoning effort levels in ascending order. Each protocol names them differently; a model may support only some. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** A change of effort: a level, or `default` for the vendor's own. */
export const EFFORT_CHOICES = ['default', ...EFFORTS] as const
export type EffortChoice = (typeof EFFORT_CHOICES)[number]

const NAMES: Readonly<Record<Effort, string>> = {
  none: 'Off',
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
  max: 'Maximum',
}

/** The display name of a level. If thinking can only be switched on and off, its one level is "On". */
export function effortName(effort: Effort, offered: readonly Effort[] = EFFORTS): string {
  const isSwitch = offered.length === 2 && offered[0] === 'none'
  return isSwitch && effort !== 'none' ? 'On' : NAMES[effort]
}

/** The offered level nearest to `effort`, the lower one first; undefined without offered levels. */
export function nearestEffort(effort: Effort, offered: readonly Effort[]): Effort | undefined {
  const wanted = EFFORTS.indexOf(effort)
  const places = offered.map((level) => EFFORTS.indexOf(level)).toSorted((one, other) => one - other)
  // A request for thinking never becomes `none` while another level exists.
  const thinking = effort === 'none' ? places : places.filter((place) => place > 0)
  const place = thinking.findLast((level) => level <= wanted) ?? thinking[0] ?? places[0]
  return place === undefined ? undefined : EFFORTS[place]
}
