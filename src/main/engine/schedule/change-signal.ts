import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchConfigFile } from '../config/watch-file'

/** Tells the other processes of a home that schedules, their runs or messages about them have changed. */
export interface ChangeSignal {
  /** Never throws: others also look again every few seconds. */
  tell(): void
  /** Calls back soon after any process has told. Returns how to stop. */
  listen(heard: () => void): () => void
}

/** By a file that each of them watches; what has changed is in the store. */
export function createChangeSignal(home: string): ChangeSignal {
  const folder = join(home, 'schedules')
  const file = join(folder, 'changed')
  return {
    tell() {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(file, randomUUID(), { mode: 0o600 })
      } catch {
        // The disk may be full.
      }
    },
    listen(heard) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
      } catch {
        // It is watched once it is there.
      }
      return watchConfigFile(file, heard)
    },
  }
}
