import type { spawn as SpawnPty } from 'node-pty'
import { rewriteNul } from '../../process/find-shell'
import type { ProcessEvents, ProcessStart, RunningProcess, Starter } from '../running-process'
import { TERMINAL_COLS, TERMINAL_ROWS } from '../output/screen-rows'
import { sessionProcesses, killWindowsProcessTree } from '../../process/kill/kill-process-tree'
import { tagRoot } from '../../process/windows-process-table'

/** The part of node-pty in use; passed in so that it can be tested without Windows. */
export type SpawnTerminal = (
  ...args: Parameters<typeof SpawnPty>
) => Pick<ReturnType<typeof SpawnPty>, 'pid' | 'write' | 'kill' | 'pause' | 'resume' | 'onData' | 'onExit'>

/** Maximum characters of a Windows command line; longer commands run in pipes. */
const MAX_CHARS = 30_000
const CTRL_C = '\x03'

/** Starts commands in Windows' pseudo console, in Git Bash; rejects if Windows has no pseudo console. */
export async function conptyStarter(): Promise<Starter> {
  const pty = await import('node-pty')
  return { start: (start, events) => startInConpty(pty.spawn, start, events), warm() {}, close() {} }
}

/** Whether a command fits into a Windows command line. */
export function fitsCommandLine(command: string): boolean {
  // Quotes and backslashes are escaped by doubling.
  return command.length + (command.match(/["\\]/g)?.length ?? 0) < MAX_CHARS
}

/**
 * Runs one command in a pseudo console. A stop sends Ctrl-C first, as a user would; what survives that is ended with
 * everything it started.
 */
export function startInConpty(spawn: SpawnTerminal, start: ProcessStart, events: ProcessEvents): RunningProcess {
  // Closes standard input for the command, because the pseudo console has only one input.
  const script = `exec </dev/null\n${rewriteNul(start.command)}`
  const terminal = spawn(start.shell, ['-c', script], {
    cwd: start.cwd,
    env: { ...start.env, TRESTLE_TASK: start.taskId },
    cols: TERMINAL_COLS,
    rows: TERMINAL_ROWS,
    encoding: null,
  })
  const { pid } = terminal
  tagRoot(pid, start.taskId, start.env)
  let over = false
  const ended = Promise.withResolvers<void>()
  // With `encoding: null` the data is bytes, whatever the declared type says.
  terminal.onData((data: string | Uint8Array) => {
    if (!events.data(typeof data === 'string' ? Buffer.from(data) : data)) terminal.pause()
  })
  terminal.onExit(({ exitCode }) => {
    over = true
    ended.resolve()
    events.exit({ exitCode })
    events.end()
  })
  queueMicrotask(() => events.started?.())
  return {
    pid,
    resume: () => terminal.resume(),
    write: (data) => terminal.write(data),
    async stop(graceMs) {
      if (!over) {
        terminal.write(CTRL_C)
        let limit: NodeJS.Timeout | undefined
        await Promise.race([ended.promise, new Promise((resolve) => (limit = setTimeout(resolve, graceMs)))])
        clearTimeout(limit)
      }
      await killWindowsProcessTree({ taskId: start.taskId, rootPid: pid, isRootGone: () => over }, graceMs)
    },
    leftRunning: async () => (await sessionProcesses(pid, [pid])).filter((each) => each.pid !== pid),
    release: () => {
      if (!over) terminal.kill()
    },
  }
}
