import { execFile } from 'node:child_process'
import type { spawn as SpawnPty } from 'node-pty'
import { rewriteNul } from './find-shell'
import type { ProcessEvents, ProcessStart, RunningProcess, Starter } from './running-process'
import { TERMINAL_COLS, TERMINAL_ROWS } from './screen-rows'

/** Starts commands in Windows' pseudo console, in Git Bash; rejects when there is none. */
export async function conptyStarter(): Promise<Starter> {
  const pty = await import('node-pty')
  return { start: (start, events) => startInConpty(pty.spawn, start, events), warm() {}, close() {} }
}

function startInConpty(spawn: typeof SpawnPty, start: ProcessStart, events: ProcessEvents): RunningProcess {
  // Standard input is closed inside, because the pseudo console has only one way in.
  const script = `exec </dev/null\n${rewriteNul(start.command)}`
  const terminal = spawn(start.shell, ['-c', script], {
    cwd: start.cwd,
    env: { ...start.env, TRESTLE_TASK: start.taskId },
    cols: TERMINAL_COLS,
    rows: TERMINAL_ROWS,
    encoding: null,
  })
  let over = false
  const ended = Promise.withResolvers<void>()
  // With `encoding: null` bytes come, whatever the declared type says.
  terminal.onData((data: string | Uint8Array) => {
    if (!events.data(typeof data === 'string' ? Buffer.from(data) : data)) terminal.pause()
  })
  terminal.onExit(({ exitCode }) => {
    over = true
    ended.resolve()
    events.exit({ exitCode })
    events.end()
  })
  queueMicrotask(() => events.begun?.())
  return {
    pid: terminal.pid,
    resume: () => terminal.resume(),
    write: (data) => terminal.write(data),
    async stop(graceMs) {
      if (over) return
      const tree = ['/PID', String(terminal.pid), '/T']
      // Windows has no SIGTERM: the tree is asked to close, then ended.
      await taskkill(tree)
      const kill = setTimeout(() => void taskkill([...tree, '/F']), graceMs)
      // What even that does not end is given up.
      const giveUp = setTimeout(ended.resolve, graceMs + 2_000)
      await ended.promise
      clearTimeout(kill)
      clearTimeout(giveUp)
    },
    leftRunning: async () => [],
    release: () => {
      if (!over) terminal.kill()
    },
  }
}

function taskkill(args: string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile('taskkill', args, { windowsHide: true }, () => resolve())
  })
}
