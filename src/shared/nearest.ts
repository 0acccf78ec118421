/**
 * The known names most similar to `wrong`, best first: equal ignoring case and separators, then containing it or
 * contained in it, then a few letters apart. Empty if nothing is close.
 */
export function nearest(wrong: string, known: Iterable<string>, limit = 3): string[] {
  const wanted = plain(wrong)
  return Array.from(known, (name) => ({ name, score: distanceOf(wanted, plain(name)) }))
    .filter(({ score }) => score <= Math.max(wanted.length > 3 ? 2 : 1, wanted.length / 3))
    .sort((a, b) => a.score - b.score || a.name.length - b.name.length)
    .slice(0, limit)
    .map(({ name }) => name)
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

/** Counts a transposition as one edit (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line++) {
    const next = [line]
    for (let column = 1; column <= b.length; column++) {
      const replaced = row[column - 1]! + (b[column - 1] === a[line - 1] ? 0 : 1)
      const swapped =
        line > 1 && column > 1 && a[line - 1] === b[column - 2] && a[line - 2] === b[column - 1]
          ? before[column - 2]! + 1
          : Infinity
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1, swapped))
    }
    before = row
    row = next
  }
  return row[b.length]!
}
