import { spawn } from 'node:child_process'
import { rewriteNul } from '../find-shell'
import type { ProcessEvents, ProcessStart, RunningProcess } from '../running-process'
import { readOut } from '../start-in-pipes'
import { hasExited, sessionProcesses } from '../session-processes'
import { startedChild } from '../started-child'
import { stopTree } from './stop-tree'
import { markRoot } from './windows-process-table'

/**
 * Reads the command from its standard input, because an argument may have only 32,767 characters on Windows, then runs it with an empty one. The bash in `usr\bin` is found without
 * the folders of its own programs. The `x` keeps line ends at the end.
 */
const SCRIPT = `case ":$PATH:" in *:/usr/bin:*) ;; *) PATH=/usr/local/bin:/usr/bin:/bin:/mingw64/bin:$PATH ;; esac
trestle_c=$(cat; echo x)
exec </dev/null 2>&1
eval "unset trestle_c; \${trestle_c%x}"`

/** What may leave something running: to look at all processes takes Windows a moment, so it is not done after every command. */
const MAY_LEAVE = /(?<![&<>|])&(?![&>\d])|\b(?:start|nohup|setsid|disown|daemon\w*|detach\w*|Start-Process)\b/

/**
 * Runs a command of Git Bash in plain pipes: what the model reads are the program's own bytes. A pseudo console would draw them as a screen, with its own line breaks and
 * repetitions.
 */
export function startInWindowsPipes(start: ProcessStart, events: ProcessEvents): RunningProcess {
  const env = { ...start.env, TERM: 'dumb', TRESTLE_TASK: start.taskId }
  const child = startedChild(
    spawn(start.shell, ['--norc', '-c', SCRIPT], { cwd: start.cwd, env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true }),
  )
  const leader = child.pid
  const { stdin, stdout } = child
  markRoot(leader, start.taskId, start.env)
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
    events.begun?.()
  })
  child.once('error', (error) => {
    if (leader === undefined) events.error(error)
  })
  child.once('exit', (code, signal) => {
    isReadOut = true
    readOut(stdout, () => {
      isReadOut = false
      events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) })
    })
  })
  return {
    pid: leader,
    resume: () => void stdout.resume(),
    write() {},
    async stop(graceMs) {
      if (leader === undefined) return
      await stopTree({ taskId: start.taskId, leader, leaderIsGone: () => hasExited(child) }, graceMs)
    },
    leftRunning: async () =>
      leader !== undefined && (!isClosed || MAY_LEAVE.test(start.command))
        ? (await sessionProcesses(leader, [leader])).filter(({ pid }) => pid !== leader)
        : [],
    release: () => void stdout.destroy(),
  }
}
