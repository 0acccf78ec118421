import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchConfigFile } from '../config/watch-file'

/** Notifies the other processes of a home that schedules, their runs or messages about them have changed. */
export interface ChangeSignal {
  /** Never throws: other processes also check every few seconds. */
  notify(): void
  /** Calls `heard` soon after any process has called `tell`. Returns the function that unsubscribes. */
  listen(listener: () => void): () => void
}

/** Uses a file that each process watches; the changes themselves are in the store. */
export function createChangeSignal(home: string): ChangeSignal {
  const folder = join(home, 'schedules')
  const file = join(folder, 'changed')
  return {
    notify() {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(file, randomUUID(), { mode: 0o600 })
      } catch {
        // The disk may be full.
      }
    },
    listen(listener) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
      } catch {
        // It is watched once it exists.
      }
      return watchConfigFile(file, listener)
    },
  }
}
