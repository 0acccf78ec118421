/** Returns the value, which the test needs to continue; fails with `what` when it is missing. */
export function required<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`missing: ${what}`)
  return value
}

/** The reason of a promise's rejection; fails when it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise])
  if (outcome.status === 'fulfilled') throw new Error('it should have failed')
  return outcome.reason
}
