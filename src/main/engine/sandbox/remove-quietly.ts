import { rmSync } from 'node:fs'

/** Removes a folder that is not needed any longer. A failure (no free descriptor, say) leaves it behind, which does no harm: it must not end what is going on. */
export function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is in a temporary folder, or is found there by a later start.
  }
}
