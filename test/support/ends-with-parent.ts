import { spawn, type ChildProcessByStdio, type SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'

const WATCH = pathToFileURL(join(import.meta.dirname, 'watch-parent.ts')).href

/**
 * Starts a Node program that ends when this process does, for any reason: a test run that is stopped or killed leaves
 * no program behind. Its stdout is read; its stderr is inherited.
 */
export function spawnWithParent(
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--import', WATCH, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  }) as unknown as ChildProcessByStdio<null, Readable, null>
}
