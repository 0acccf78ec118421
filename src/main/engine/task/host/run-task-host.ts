import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { serveTaskHost } from './serve-task-host'

const IDLE_MS = 2_000
const MOST_LOG_BYTES = 1024 * 1024

/**
 * The task host as a process of its own: `task-host HOME`. Prints, as one line of JSON, where the host of this home listens, itself or the one that
 * was there already. A bug is written to `logs/task-host.log` of the home and does not end it: tasks depend on it.
 */
export async function runTaskHost([home]: readonly string[]): Promise<void> {
  if (home === undefined) {
    process.stderr.write('Trestle starts this program by itself when it needs it.\n')
    process.exit(2)
  }
  // There are many of its kind of buffer, and few of its objects live long.
  setFlagsFromString('--semi-space-growth-factor=1')
  const log = logTo(join(home, 'logs', 'task-host.log'))
  process.on('uncaughtException', (error) => log(error.stack ?? error.message))
  process.on('unhandledRejection', (error) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)))
  process.on('SIGHUP', () => {})
  process.on('SIGINT', () => {})
  const { path, serving } = await serveTaskHost({ home, idleMs: IDLE_MS, log })
  process.stdout.on('error', () => {})
  await new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify({ path })}\n`, () => resolve()))
  if (serving) {
    process.once('SIGTERM', () => void serving.close())
    await serving.ended
  }
  process.exit(0)
}

function logTo(file: string): (message: string) => void {
  return (message) => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_LOG_BYTES) renameSync(file, `${file}.1`)
      appendFileSync(file, `${new Date().toISOString()} ${message}\n`, { mode: 0o600 })
    } catch {
      // Nowhere to write to: the tasks run on.
    }
  }
}
