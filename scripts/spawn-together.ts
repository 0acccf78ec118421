import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { join } from 'node:path'

/** Windows has no process groups. */
const hasGroups = process.platform !== 'win32'
let watcher: ChildProcess | undefined

/**
 * Starts a script with this Node. The script and everything it has started end when this process ends, for whatever
 * reason: a time limit, Ctrl-C or SIGKILL. A compiler is busy for a minute and would not notice, so another process
 * watches.
 */
export function spawnTogether(args: readonly string[], options: Omit<SpawnOptions, 'detached'>): ChildProcess {
  watcher ??= startWatcher()
  const child = spawn(process.execPath, args, { ...options, detached: hasGroups })
  const { pid } = child
  if (pid !== undefined) {
    watcher.stdin!.write(`+${pid}\n`)
    child.once('exit', () => watcher!.stdin!.write(`-${pid}\n`))
  }
  return child
}

function startWatcher(): ChildProcess {
  const started = spawn(process.execPath, [join(import.meta.dirname, 'end-children.ts')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the group of this process must not end it.
    detached: hasGroups,
  })
  started.stdin.on('error', () => undefined)
  started.unref()
  return started
}
