/** The known names most like `wrong`, best first, at most `limit`; none when nothing is close enough to be meant. */
export function nearest(wrong: string, known: Iterable<string>, limit = 3): string[] {
  const target = wrong.toLowerCase()
  const scored: { name: string; score: number }[] = []
  for (const name of known) {
    const candidate = name.toLowerCase()
    const score = target.length >= 2 && (candidate.startsWith(target) || target.startsWith(candidate)) ? 0.5 : distance(target, candidate)
    if (score <= Math.max(1, Math.floor(Math.max(target.length, candidate.length) / 3))) scored.push({ name, score })
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name)
}

/** Edit distance with transpositions counted as one (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), swap)
    }
    before = previous
    previous = row
  }
  return previous[b.length]!
}
