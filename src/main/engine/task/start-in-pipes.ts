import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ProcessEvents, ProcessStart, RunningProcess, Starter } from './running-process'
import { hasExited, sessionProcesses, signalGroup, killProcessTree } from '../process/kill/kill-process-tree'
import { spawnedOrThrow } from '../process/spawn'

/** Without a terminal: one pipe takes both output streams, in order. Programs can see that there is no terminal. */
export const pipeStarter: Starter = { start: startInPipes, warm() {}, close() {} }

/** Limit for draining: background processes may print endlessly. */
const MAX_TURNS = 200

function startInPipes(start: ProcessStart, events: ProcessEvents): RunningProcess {
  const args = ['-c', 'exec "$1" -c -- "$2" 2>&1', 'trestle', start.shell, start.command]
  const env = { ...start.env, PWD: start.cwd, TERM: 'dumb', TRESTLE_TASK: start.taskId }
  const child = spawnedOrThrow(
    spawn('/bin/sh', args, { cwd: start.cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true }),
  )
  const shellPid = child.pid
  const { stdout } = child
  let isReadOut = false
  stdout.on('data', (bytes: Buffer) => {
    if (!events.data(bytes) && !isReadOut) stdout.pause()
  })
  stdout.on('error', () => {})
  stdout.once('close', () => events.end())
  child.once('spawn', () => events.started?.())
  child.once('error', (error) => {
    if (shellPid === undefined) events.error(error)
  })
  child.once('exit', (code, signal) => {
    isReadOut = true
    drainPipe(stdout, () => {
      isReadOut = false
      events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) })
    })
  })
  return {
    pid: shellPid,
    resume: () => void stdout.resume(),
    write() {},
    stop: async (graceMs) =>
      shellPid === undefined
        ? undefined
        : killProcessTree(
            {
              taskId: start.taskId,
              shellPid,
              shellOnlyWaits: false,
              isShellGone: () => hasExited(child),
              groups: () => [],
            },
            graceMs,
          ),
    leftRunning: async () =>
      shellPid !== undefined && signalGroup(shellPid, 0) ? sessionProcesses(shellPid, [shellPid]) : [],
    release: () => void stdout.destroy(),
  }
}

/**
 * Calls `done` once everything that is in the pipe now has been read. Data in a pipe can be read immediately, so a full
 * turn of the event loop without data means that the pipe is empty; elapsed time does not.
 */
export function drainPipe(stdout: Readable, done: () => void): void {
  let hasCome = false
  const onData = (): void => void (hasCome = true)
  stdout.on('data', onData)
  stdout.resume()
  const turn = (turns: number): void => {
    // The first turn may have started after the pipe was polled.
    if (turns < MAX_TURNS && (turns < 2 || hasCome) && !stdout.destroyed) {
      hasCome = false
      setImmediate(turn, turns + 1)
      return
    }
    stdout.off('data', onData)
    done()
  }
  setImmediate(turn, 0)
}
