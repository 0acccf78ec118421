/** The names closest to `name`, best first: equal but for case and separators, then contained, then few letters apart. */
export function nearestNames(name: string, names: readonly string[], limit = 3): string[] {
  const wanted = plain(name)
  return names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate)) }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

function plain(name: string): string {
  return name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

function distanceOf(a: string, b: string): number {
  if (a === b) return 0
  if (Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))) return 1
  return editDistance(a, b)
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const replaced = row[column - 1]! + (b[column - 1] === a[line - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
