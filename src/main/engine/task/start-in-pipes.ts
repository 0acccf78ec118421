import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ProcessEvents, ProcessStart, RunningProcess, Starter } from './running-process'
import { hasExited, sessionProcesses, signalGroup } from './session-processes'
import { startedChild } from './started-child'
import { stopSession } from './stop-session'

/** Where no terminal can be had: one pipe takes both output streams, in their order. Programs then see that there is no terminal. */
export const pipeStarter: Starter = { start: startInPipes, warm() {}, close() {} }

/** What was left in the background may print without end. */
const MOST_TURNS = 200

function startInPipes(start: ProcessStart, events: ProcessEvents): RunningProcess {
  const args = ['-c', 'exec "$1" -c -- "$2" 2>&1', 'trestle', start.shell, start.command]
  const env = { ...start.env, PWD: start.cwd, TERM: 'dumb', TRESTLE_TASK: start.taskId }
  const child = startedChild(spawn('/bin/sh', args, { cwd: start.cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true }))
  const leader = child.pid
  const { stdout } = child
  let isReadOut = false
  stdout.on('data', (bytes: Buffer) => {
    if (!events.data(bytes) && !isReadOut) stdout.pause()
  })
  stdout.on('error', () => {})
  stdout.once('close', () => events.end())
  child.once('spawn', () => events.begun?.())
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
    stop: async (graceMs) =>
      leader === undefined
        ? undefined
        : stopSession(
            { taskId: start.taskId, leader, leaderOnlyWaits: false, leaderIsGone: () => hasExited(child), groups: () => [] },
            graceMs,
          ),
    leftRunning: async () => (leader !== undefined && signalGroup(leader, 0) ? sessionProcesses(leader, [leader]) : []),
    release: () => void stdout.destroy(),
  }
}

/**
 * Calls `done` once everything that is in the pipe now was read. What was written to a pipe can be read at once, so a whole turn of the event loop in which nothing came
 * means that there is nothing; time does not.
 */
export function readOut(stdout: Readable, done: () => void): void {
  let hasCome = false
  const onData = (): void => void (hasCome = true)
  stdout.on('data', onData)
  stdout.resume()
  const turn = (turns: number): void => {
    // The first may have begun after its look at the pipe.
    if (turns < MOST_TURNS && (turns < 2 || hasCome) && !stdout.destroyed) {
      hasCome = false
      setImmediate(turn, turns + 1)
      return
    }
    stdout.off('data', onData)
    done()
  }
  setImmediate(turn, 0)
}
