import type { GitCommit } from './git'

/** One row of a graph of commits: lanes are numbered from the left. */
export interface GraphRow {
  /** The lane of the commit. */
  lane: number
  /** Lanes that pass by it. */
  through: number[]
  /** Lanes from above that end in the commit. */
  into: number[]
  /** Lanes to its parents, below. */
  out: number[]
}

type Linked = Pick<GitCommit, 'hash' | 'parents'>

/**
 * Places commits in lanes, in list order. A lane belongs to the commit expected next in it; a commit whose children are
 * not listed starts a lane.
 */
export function commitGraph(commits: readonly Linked[]): GraphRow[] {
  const lanes: (string | undefined)[] = []
  const seen = new Set<string>()
  const free = (): number => {
    const at = lanes.indexOf(undefined)
    return at < 0 ? lanes.length : at
  }
  return commits.map(({ hash, parents }) => {
    const into = lanes.flatMap((expected, lane) => (expected === hash ? [lane] : []))
    const lane = into[0] ?? free()
    for (const each of into) lanes[each] = undefined
    const through = lanes.flatMap((expected, at) => (expected === undefined ? [] : [at]))
    seen.add(hash)
    const out: number[] = []
    // If a clock was set back, a parent can be listed above its child; then there is nothing below to connect to.
    for (const parent of parents.filter((each) => !seen.has(each))) {
      const known = lanes.indexOf(parent)
      const next = known >= 0 ? known : lanes[lane] === undefined && out.length === 0 ? lane : free()
      lanes[next] = parent
      out.push(next)
    }
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop()
    return { lane, through, into, out }
  })
}

/** How many lanes the rows need. */
export function graphWidth(rows: readonly GraphRow[]): number {
  return rows.reduce(
    (width, { lane, through, out }) =>
      Math.max(width, lane + 1, ...through.map((n) => n + 1), ...out.map((n) => n + 1)),
    1,
  )
}
