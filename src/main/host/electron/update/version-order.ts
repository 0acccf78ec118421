/**
 * Compares two versions by the rules of semantic versioning (build metadata does not count): negative if `a` is older.
 * Throws for an invalid version.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let index = 0; index < 3; index += 1) {
    const difference = left.numbers[index]! - right.numbers[index]!
    if (difference !== 0) return difference
  }
  // A release is newer than its own prereleases.
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length
  for (let index = 0; index < Math.max(left.pre.length, right.pre.length); index += 1) {
    const difference = compareIdentifiers(left.pre[index], right.pre[index])
    if (difference !== 0) return difference
  }
  return 0
}

function partsOf(version: string): { numbers: number[]; pre: string[] } {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(version)
  if (!match) throw new Error(`“${version}” is not a version.`)
  return { numbers: match.slice(1, 4).map(Number), pre: match[4]?.split('.') ?? [] }
}

/** Numbers by value and before words, words by their characters, fewer identifiers before more. */
function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumberA && isNumberB) return Number(a) - Number(b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}
