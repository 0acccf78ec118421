import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { devNull } from 'node:os'
import { openMasters } from './open-terminal'
import { startedChild } from './started-child'
import { askPaused, LEADER_SCRIPT, orderOf, readReports, startProblem, type Leaders } from './session-leader'

/** Starts each leader as a child of our own: simple, but the system copies the page tables of this whole process every time. */
export const leadersBySpawn: Leaders = {
  start(terminal, env, events) {
    const pid = Promise.withResolvers<number | undefined>()
    let hasFailed = false
    const fail = (error: unknown): void => {
      hasFailed = true
      pid.resolve(undefined)
      events.error(error instanceof Error ? error : new Error(String(error)))
    }
    try {
      const child = withoutMasters(
        (stdio) =>
          spawn('/bin/sh', ['-c', LEADER_SCRIPT, 'trestle', terminal.path], { env: { ...env, PWD: '/' }, cwd: '/', stdio, detached: true }),
        ['pipe', 'ignore', 'ignore', 'pipe'],
      )
      // Pipes to a child are sockets on our side.
      const [orders, reports] = [child.stdin as Socket, child.stdio[3] as Socket]
      let cwd: string | undefined
      for (const each of [child, orders, reports]) each.unref()
      orders.on('error', () => {})
      reports.on('error', () => {})
      readReports(reports, (line) => {
        const [what, number] = line.split(' ')
        if (what === 'pid') pid.resolve(Number(number))
        else if (what === 'paused') askPaused(events, (answer) => orders.write(answer))
        else if (what === 'failed') fail(startProblem(cwd))
      })
      child.once('error', fail)
      child.once('exit', () => orders.destroy())
      child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
        pid.resolve(undefined)
        if (!hasFailed) events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) })
      })
      return {
        pid: pid.promise,
        run(command) {
          cwd = command.cwd
          for (const each of [child, reports]) each.ref()
          orders.write(orderOf(command))
        },
        dismiss: () => void orders.end(),
      }
    } catch (error) {
      queueMicrotask(() => fail(error))
      return { pid: pid.promise, run() {}, dismiss() {} }
    }
  },
  close() {},
}

/**
 * node-pty does not mark terminals close-on-exec. A child that inherited one could read what other commands print, and would keep them from
 * being hung up when this process dies; so it gets /dev/null in their places.
 */
export function withoutMasters<Child extends ChildProcess>(
  start: (stdio: ('ignore' | 'pipe' | number)[]) => Child,
  first: readonly ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore'],
): Child {
  const nobody = openSync(devNull, 'r+')
  try {
    const stdio: ('ignore' | 'pipe' | number)[] = [...first]
    for (let fd = first.length; fd <= Math.max(...openMasters); fd++) stdio.push(openMasters.has(fd) ? nobody : 'ignore')
    return startedChild(start(stdio))
  } finally {
    closeSync(nobody)
  }
}
