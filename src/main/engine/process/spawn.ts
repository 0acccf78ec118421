import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { devNull } from 'node:os'
import {
  askPaused,
  SHELL_SCRIPT,
  shellOrder,
  readReports,
  startProblem,
  type ShellLauncher,
  openPtyMasters,
} from './shell-process'
import { TOO_MANY_FILES } from './file-descriptors'

/**
 * Starts each shell as a direct child: simple, but the system copies the page tables of this whole process every time.
 */
export const spawnedShells: ShellLauncher = {
  start(terminal, env, events) {
    const pid = Promise.withResolvers<number | undefined>()
    let hasFailed = false
    const fail = (error: unknown): void => {
      hasFailed = true
      pid.resolve(undefined)
      events.error(error instanceof Error ? error : new Error(String(error)))
    }
    try {
      const child = withoutPtyMasters(
        (stdio) =>
          spawn('/bin/sh', ['-c', SHELL_SCRIPT, 'trestle', terminal.path], {
            env: { ...env, PWD: '/' },
            cwd: '/',
            stdio,
            detached: true,
          }),
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
          orders.write(shellOrder(command))
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
 * node-pty does not mark terminals close-on-exec. A child that inherited one could read what other commands print, and
 * would keep them from being hung up when this process dies; so it gets /dev/null instead.
 */
export function withoutPtyMasters<Child extends ChildProcess>(
  start: (stdio: ('ignore' | 'pipe' | number)[]) => Child,
  first: readonly ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'ignore'],
): Child {
  const nullFd = openSync(devNull, 'r+')
  try {
    const stdio: ('ignore' | 'pipe' | number)[] = [...first]
    for (let fd = first.length; fd <= Math.max(...openPtyMasters); fd++)
      stdio.push(openPtyMasters.has(fd) ? nullFd : 'ignore')
    return spawnedOrThrow(start(stdio))
  } finally {
    closeSync(nullFd)
  }
}

/**
 * Returns the child of `spawn`, or throws immediately if it failed. With no free descriptor, `spawn` returns a child
 * without streams and emits the error a moment later: accessing a stream before that throws a TypeError, and the error,
 * which has no listener yet, crashes the program. So every `spawn` must be wrapped in this function.
 */
export function spawnedOrThrow<Child extends ChildProcess>(child: Child): Child {
  if ((child.stdio as unknown) !== undefined) return child
  child.on('error', () => {})
  throw Object.assign(new Error(`No process could be started. ${TOO_MANY_FILES}`), { code: 'EMFILE' })
}
