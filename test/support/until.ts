/** For this long the condition is looked at every millisecond, since most waits are short. */
const EAGER_MS = 20
/** Afterwards so often: looking may cost as much as what is waited for, and takes the processor from it. */
const PATIENT_MS = 10

/** A guard against waiting forever, also on a machine with much else to do. */
const LIMIT_MS = 60_000

/** Resolves when `condition` holds, looked at again and again; fails with `what` after `limitMs`. */
export async function until(condition: () => boolean, what: string, limitMs = LIMIT_MS): Promise<void> {
  const start = Date.now()
  while (!condition()) {
    const waitedMs = Date.now() - start
    if (waitedMs > limitMs) throw new Error(`waited ${limitMs} ms in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, waitedMs < EAGER_MS ? 1 : PATIENT_MS))
  }
}
