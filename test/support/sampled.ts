/** Whether every case of the large lists runs: `TRESTLE_TESTS=all npm test`. */
export const RUNS_ALL = process.env['TRESTLE_TESTS'] === 'all'

/**
 * Every `nth` of the cases, to keep the whole suite short, or all of them. Not for lists in which every case is a
 * separate promise.
 */
export function sampled<Case>(cases: readonly Case[], nth: number): Case[] {
  return RUNS_ALL ? [...cases] : cases.filter((_, index) => index % nth === 0)
}
