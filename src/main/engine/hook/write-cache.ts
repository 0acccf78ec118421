import { createHash } from 'node:crypto'
import type { PlannedWrite } from '../tool/write-hooks'

/** What hooks made of a write: the text, or why it is not to be written. */
export type HookedWrite = { text: string } | { cancelled: string }

/** A patch may write to as many files at once. */
const MOST_KEPT = 128

/**
 * Keeps what hooks made of a write until it is done: it is looked at to be shown, again when it is approved and once more when it is
 * written, and must be the same each time. What was cancelled is asked anew.
 */
export class WriteCache {
  readonly #kept = new Map<string, Promise<HookedWrite>>()

  async get(write: PlannedWrite, ask: () => Promise<HookedWrite>): Promise<HookedWrite> {
    const key = keyOf(write)
    const known = this.#kept.get(key)
    if (known) return known
    const asked = ask()
    this.#kept.set(key, asked)
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest)
    const made = await asked
    if ('cancelled' in made) this.#kept.delete(key)
    return made
  }

  done(write: PlannedWrite): void {
    this.#kept.delete(keyOf(write))
  }
}

function keyOf({ path, text, exists }: PlannedWrite): string {
  return createHash('sha256')
    .update(JSON.stringify([path, exists]))
    .update(text)
    .digest('hex')
}
