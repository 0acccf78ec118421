import { spawn } from 'node:child_process'
import type { RunningProcess, Starter, ProcessEvents, ProcessStart } from '../running-process'
import { fitsCommandLine } from './start-in-conpty'
import { rewriteNul } from '../../process/find-shell'
import { drainPipe } from '../start-in-pipes'
import { hasExited, sessionProcesses, killWindowsProcessTree } from '../../process/kill/kill-process-tree'
import { spawnedOrThrow } from '../../process/spawn'
import { tagRoot } from '../../process/windows-process-table'

export interface WindowsStarterOptions {
  /** Opens the pseudo console; rejects if Windows has none. Default: that of node-pty. */
  console?: () => Promise<Starter>
  pipes?: Starter['start']
}

/**
 * How commands run on Windows: foreground commands in plain pipes; background commands, which the user may view and
 * type into, in a pseudo console, if there is one.
 */
export async function windowsStarter({
  console: openConsole = async () => (await import('./start-in-conpty')).conptyStarter(),
  pipes = startInWindowsPipes,
}: WindowsStarterOptions = {}): Promise<Starter> {
  const inConsole = await openConsole().catch(() => undefined)
  return {
    start: (start, events): RunningProcess =>
      (start.background && inConsole && fitsCommandLine(start.command) ? inConsole.start : pipes)(start, events),
    warm() {},
    close: () => inConsole?.close(),
  }
}

/**
 * Reads the command from standard input, because an argument is limited to 32,767 characters on Windows, then runs it
 * with empty input. Adds the folders of Git Bash's programs, which the bash in `usr\bin` lacks. The `x` keeps trailing
 * line breaks.
 */
const SCRIPT = `case ":$PATH:" in *:/usr/bin:*) ;; *) PATH=/usr/local/bin:/usr/bin:/bin:/mingw64/bin:$PATH ;; esac
trestle_c=$(cat; echo x)
exec </dev/null 2>&1
eval "unset trestle_c; \${trestle_c%x}"`

/**
 * Commands that may leave something running: a scan of all processes is slow on Windows, so it is not done after every
 * command.
 */
const MAY_LEAVE = /(?<![&<>|])&(?![&>\d])|\b(?:start|nohup|setsid|disown|daemon\w*|detach\w*|Start-Process)\b/

/**
 * Runs a command of Git Bash in plain pipes, so that the model reads the program's own bytes. A pseudo console would
 * render them as a screen, with its own line breaks and repetitions.
 */
export function startInWindowsPipes(start: ProcessStart, events: ProcessEvents): RunningProcess {
  const env = { ...start.env, TERM: 'dumb', TRESTLE_TASK: start.taskId }
  const child = spawnedOrThrow(
    spawn(start.shell, ['--norc', '-c', SCRIPT], {
      cwd: start.cwd,
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    }),
  )
  const rootPid = child.pid
  const { stdin, stdout } = child
  tagRoot(rootPid, start.taskId, start.env)
  let isReadOut = false
  let isClosed = false
  stdout.on('data', (bytes: Buffer) => {
    if (!events.data(bytes) && !isReadOut) stdout.pause()
  })
  for (const stream of [stdin, stdout]) stream.on('error', () => {})
  stdout.once('close', () => {
    isClosed = true
    events.end()
  })
  child.once('spawn', () => {
    stdin.end(rewriteNul(start.command))
    events.started?.()
  })
  child.once('error', (error) => {
    if (rootPid === undefined) events.error(error)
  })
  child.once('exit', (code, signal) => {
    isReadOut = true
    drainPipe(stdout, () => {
      isReadOut = false
      events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) })
    })
  })
  return {
    pid: rootPid,
    resume: () => void stdout.resume(),
    write() {},
    async stop(graceMs) {
      if (rootPid === undefined) return
      await killWindowsProcessTree({ taskId: start.taskId, rootPid, isRootGone: () => hasExited(child) }, graceMs)
    },
    leftRunning: async () =>
      rootPid !== undefined && (!isClosed || MAY_LEAVE.test(start.command))
        ? (await sessionProcesses(rootPid, [rootPid])).filter(({ pid }) => pid !== rootPid)
        : [],
    release: () => void stdout.destroy(),
  }
}
