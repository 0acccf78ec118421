import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { openMasters } from './open-terminal'
import { LEADER_SCRIPT, type Leaders } from './session-leader'

/** Starts each leader as a child of our own: simple, but the system copies the page tables of this whole process every time. */
export const leadersBySpawn: Leaders = {
  start({ terminal, shell, command, cwd, env, taskId }, events) {
    try {
      const args = ['-c', LEADER_SCRIPT, 'trestle', shell, command, terminal, '']
      const child = withoutMasters((stdio) =>
        spawn('/bin/sh', args, { cwd, env: { ...env, PWD: cwd, TRESTLE_TASK: taskId }, stdio, detached: true }),
      )
      child.once('error', (error) => {
        if (child.pid === undefined) events.error(error)
      })
      child.once('exit', (code, signal) => events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) }))
      return { pid: Promise.resolve(child.pid) }
    } catch (error) {
      queueMicrotask(() => events.error(error instanceof Error ? error : new Error(String(error))))
      return { pid: Promise.resolve(undefined) }
    }
  },
  warm() {},
  close() {},
}

/**
 * node-pty does not mark terminals close-on-exec. A child that inherited one could read what other commands print, and would keep them from
 * being hung up when this process dies; so it gets /dev/null in their places.
 */
export function withoutMasters<Child>(
  start: (stdio: ('ignore' | 'pipe' | number)[]) => Child,
  first: readonly ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore'],
): Child {
  const nobody = openSync('/dev/null', 'r+')
  try {
    const stdio: ('ignore' | 'pipe' | number)[] = [...first]
    for (let fd = first.length; fd <= Math.max(...openMasters); fd++) stdio.push(openMasters.has(fd) ? nobody : 'ignore')
    return start(stdio)
  } finally {
    closeSync(nobody)
  }
}
