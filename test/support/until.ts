/** For this long, the condition is checked every millisecond, because most waits are short. */
const EAGER_MS = 20
/** Interval of later checks: a check can cost as much as what it waits for, and competes with it for the processor. */
const PATIENT_MS = 10

/** A guard against waiting forever, even on a busy machine. */
const LIMIT_MS = 60_000

/** Resolves when `condition` is true, which is checked repeatedly; fails with `what` after `limitMs`. */
export async function until(condition: () => boolean, what: string, limitMs = LIMIT_MS): Promise<void> {
  const start = Date.now()
  while (!condition()) {
    const waitedMs = Date.now() - start
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs} ms in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, waitedMs < EAGER_MS ? 1 : PATIENT_MS))
  }
}
