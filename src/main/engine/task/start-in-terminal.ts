import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import type { ProcessEvents, ProcessStart, RunningProcess, StartProcess } from './running-process'
import { TERMINAL_COLS, TERMINAL_ROWS } from './screen-rows'
import { hasExited, sessionProcesses, signalGroup } from './session-processes'
import { stopSession } from './stop-session'

/** The part of node-pty's native module that is used (README.md says why this part). */
interface NativePty {
  open(cols: number, rows: number): { master: number; slave: number; pty: string }
}

/**
 * Run by /bin/sh as the leader of the new session, with the terminal as output. Opening the terminal makes it the session's own, so that
 * programs find it as /dev/tty; `-opost` lets output through ten times as fast. With job control (`set -m`) the command gets a process group
 * of its own: when it ends, what it left in the background is not hung up, as it would be if the command itself led the session. The group's
 * number is the first line of the output, before anything of the command; it is taken out again (`withoutHeader`).
 */
const LEADER = `: <>"$3"; stty -opost <&1 2>/dev/null; set -m; exec 2>/dev/null
( read -r p x </proc/self/stat || p=$(exec sh -c 'echo $PPID'); printf '%s\\n' "$p"; exec "$1" -c -- "$2" 2>&1 )
exit $?`

/** The terminals open now: node-pty does not mark them close-on-exec, so they are closed to each new command by hand. */
const openMasters = new Set<number>()
/** Filled by the event loop right before each call of `data`, so one buffer serves all terminals. */
let readBuffer: Buffer | undefined

/** What starts commands in terminals of their own; rejects when this machine has none to give. */
export async function terminalStarter(): Promise<StartProcess> {
  const loaded = (await import('node-pty')) as unknown as { default?: { native?: unknown }; native?: unknown }
  const native = loaded.native ?? loaded.default?.native
  if (!isNativePty(native)) throw new Error('node-pty has no native part for this platform')
  const probe = openTerminal(native)
  closeSync(probe.slave)
  closeSync(probe.master)
  return (start, events) => startInTerminal(native, start, events)
}

function isNativePty(native: unknown): native is NativePty {
  return typeof native === 'object' && native !== null && 'open' in native && typeof native.open === 'function'
}

interface OpenTerminal {
  master: number
  /** For the command's output; not inherited by anything else. */
  slave: number
  path: string
}

function openTerminal(native: NativePty): OpenTerminal {
  const { master, slave: inherited, pty: path } = native.open(TERMINAL_COLS, TERMINAL_ROWS)
  let slave: number
  try {
    slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  } catch (error) {
    closeSync(master)
    throw error
  } finally {
    closeSync(inherited)
  }
  return { master, slave, path }
}

function startInTerminal(native: NativePty, start: ProcessStart, events: ProcessEvents): RunningProcess {
  const terminal = openTerminal(native)
  const { master } = terminal
  openMasters.add(master)
  let child: ChildProcess
  try {
    child = spawnLeader(start, terminal)
  } catch (error) {
    openMasters.delete(master)
    closeSync(master)
    throw error
  } finally {
    closeSync(terminal.slave)
  }
  let group: number | undefined
  const groups = (): number[] => (group === undefined ? [] : [group])
  const stream = readTerminal(
    master,
    withoutHeader(events.data, (found) => (group = found)),
  )
  stream.once('close', () => {
    openMasters.delete(master)
    events.end()
  })
  const leader = child.pid
  child.once('error', (error) => {
    if (leader !== undefined) return
    events.error(error)
    stream.destroy()
  })
  child.once('exit', (code, signal) => events.exit({ ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) }))
  return {
    get pid() {
      return group ?? leader
    },
    resume: () => void stream.resume(),
    stop: async (graceMs) =>
      leader === undefined
        ? undefined
        : stopSession({ leader, leaderOnlyWaits: true, leaderIsGone: () => hasExited(child), groups }, graceMs),
    leftRunning: async () =>
      leader !== undefined && group !== undefined && signalGroup(group, 0) ? sessionProcesses(leader, [group]) : [],
    release: () => void stream.destroy(),
  }
}

function spawnLeader(start: ProcessStart, terminal: OpenTerminal): ChildProcess {
  const nobody = openSync('/dev/null', 'r+')
  try {
    const stdio: ('ignore' | number)[] = ['ignore', terminal.slave, terminal.slave]
    for (let fd = 3; fd <= Math.max(...openMasters); fd++) stdio.push(openMasters.has(fd) ? nobody : 'ignore')
    const args = ['-c', LEADER, 'trestle', start.shell, start.command, terminal.path]
    return spawn('/bin/sh', args, { cwd: start.cwd, env: { ...start.env, PWD: start.cwd }, stdio, detached: true })
  } finally {
    closeSync(nobody)
  }
}

function readTerminal(master: number, onBytes: (bytes: Uint8Array) => boolean): ReadStream {
  const buffer = (readBuffer ??= Buffer.allocUnsafeSlow(64 * 1024))
  const stream = new ReadStream(master, { onread: { buffer, callback: (count) => onBytes(buffer.subarray(0, count)) } })
  // Linux reports the end as EIO, others as an end.
  stream.on('error', () => {})
  stream.once('end', () => stream.destroy())
  stream.resume()
  return stream
}

/** Passes on what comes after the first line, which `found` gets as a number. */
function withoutHeader(data: (bytes: Uint8Array) => boolean, found: (group: number) => void): (bytes: Uint8Array) => boolean {
  let header: string | undefined = ''
  return (bytes) => {
    if (header === undefined) return data(bytes)
    const end = bytes.indexOf(0x0a)
    header += Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('latin1')
    if (end < 0) return true
    if (/^\d+$/.test(header)) found(Number(header))
    header = undefined
    return end + 1 < bytes.length ? data(bytes.subarray(end + 1)) : true
  }
}
