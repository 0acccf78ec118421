const FIRST_MS = 500
const MOST_MS = 60_000

/** How long after so many failures in a row it is tried again: twice as long each time, a little random so that many do not come at once. */
export function backoffMs(failures: number, random: () => number): number {
  const wait = Math.min(FIRST_MS * 2 ** Math.max(0, failures - 1), MOST_MS)
  return Math.round(wait * (0.75 + random() * 0.5))
}
