/** Whether every case of the large lists is run: `TRESTLE_TESTS=all npm test`. */
export const RUNS_ALL = process.env['TRESTLE_TESTS'] === 'all'

/**
 * Every `nth` of the cases, which keeps the whole suite short, or all of them. Not for lists whose every case is a
 * promise of its own.
 */
export function sampled<Case>(cases: readonly Case[], nth: number): Case[] {
  return RUNS_ALL ? [...cases] : cases.filter((_, index) => index % nth === 0)
}
