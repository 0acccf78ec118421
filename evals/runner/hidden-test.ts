import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, type RunPlace } from './create-place.ts'
import { runNode } from './run-program.ts'
import type { LoadedTask } from './task'

const TIME_LIMIT_MS = 20_000
const MAX_CHARS = 600

/**
 * Runs tests that the agent has not seen. They are put beside the project only now. They run the agent's code outside
 * of Trestle's sandbox, so Node's permission model keeps it from writing, from starting programs and from reading
 * anything but the run's own folder.
 */
export function createHiddenTest(task: LoadedTask, place: RunPlace): (file: string) => Promise<string | undefined> {
  return async (file) => {
    const hidden = join(place.root, 'hidden')
    cpSync(join(task.folder, 'hidden'), hidden, { recursive: true })
    const args = ['--permission', `--allow-fs-read=${place.root}`, join(hidden, file)]
    const run = await runNode(args, { cwd: place.project, env: environmentOf(place), timeLimitMs: TIME_LIMIT_MS })
    if (run.isTimedOut) return `The hidden test ${file} did not end within ${TIME_LIMIT_MS / 1000} s.`
    return run.code === 0 ? undefined : `The hidden test ${file} fails: ${summaryOf(run.stdout + run.stderr)}`
  }
}

/** The names of the failed tests, or the end of the output. */
function summaryOf(output: string): string {
  const failed = [...output.matchAll(/^\s*(?:✖|not ok \d+ -) (.+?)(?: \([\d.]+ms\))?$/gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'failing tests:')
  const text = failed.length > 0 ? [...new Set(failed)].join('; ') : output.trim().slice(-MAX_CHARS)
  return text.slice(0, MAX_CHARS)
}
