import type { Access } from '../tool/tool'
import { conflict } from './schedule'

interface Entry {
  accesses: readonly Access[]
  over: Promise<void>
}

/**
 * Calls of all agents of a family, which work side by side in the same folders: each runs when no earlier one that conflicts with it is
 * unfinished, whichever agent made it. (Within a step `runScheduled` does the same, and looks at a file again afterwards.)
 */
export class FamilySchedule {
  readonly #families = new Map<string, Set<Entry>>()

  /** Rejects when `signal` aborts before the call's turn has come. */
  async run<Result>(family: string, accesses: readonly Access[], signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (accesses.length === 0) return work()
    const entries = this.#families.get(family) ?? new Set<Entry>()
    this.#families.set(family, entries)
    const before = [...entries].filter((earlier) => conflict(earlier.accesses, accesses)).map(({ over }) => over)
    const { promise: over, resolve } = Promise.withResolvers<void>()
    const entry: Entry = { accesses, over }
    entries.add(entry)
    try {
      if (before.length > 0) await unlessAborted(Promise.all(before), signal)
      return await work()
    } finally {
      entries.delete(entry)
      if (entries.size === 0) this.#families.delete(family)
      resolve()
    }
  }
}

async function unlessAborted(wait: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([wait, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
