/** The clock is loaded late: most weeks it is not needed. */
export const weekly = async () => `weekly at ${(await import('../util/clock.mjs')).clock()}`
