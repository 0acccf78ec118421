import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'TRESTLE_TEST_RUN_FOLDER'

/**
 * Vitest's global setup: a folder for the whole run, removed at its end. Vitest ends its workers without their exit
 * handlers, so a worker cannot remove what it created for all of its tests.
 */
export default function setup(): () => void {
  const folder = newFolder()
  process.env[VARIABLE] = folder
  return () => remove(folder)
}

let own: string | undefined

/** A new folder that is removed when the run of Vitest (elsewhere, the process) ends: for what no test removes. */
export function runFolder(prefix: string): string {
  let parent = process.env[VARIABLE] ?? own
  if (parent === undefined) {
    const made = (own = parent = newFolder())
    process.once('exit', () => remove(made))
  }
  return mkdtempSync(join(parent, prefix))
}

function newFolder(): string {
  return mkdtempSync(join(realpathSync(tmpdir()), 'trestle-run-'))
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}
