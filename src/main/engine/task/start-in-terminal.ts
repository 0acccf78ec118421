import { closeSync, statSync, write } from 'node:fs'
import { posix } from 'node:path'
import { ReadStream } from 'node:tty'
import { leadersBySpawn } from './leader-by-spawn'
import { LeaderPool } from './leader-pool'
import { loadNativePty, openMasters, openTerminal, type NativePty } from './open-terminal'
import type { ProcessEvents, ProcessStart, RunningProcess, Starter } from './running-process'
import type { Leaders } from './session-leader'
import { sessionProcesses, signalGroup } from './session-processes'
import { stopSession } from './stop-session'

/** Filled by the event loop right before each call of `data`, so one buffer serves all terminals. */
let readBuffer: Buffer | undefined

/** Starts commands in terminals of their own; rejects when this machine has none to give. */
export async function terminalStarter(leaders: Leaders = bestLeaders()): Promise<Starter> {
  const native = await loadNativePty()
  const probe = openTerminal(native)
  openMasters.delete(probe.master)
  closeSync(probe.slave)
  closeSync(probe.master)
  return {
    start: (start, events) => startInTerminal(native, leaders, start, events),
    warm: (env) => leaders.warm(env),
    close: () => leaders.close(),
  }
}

/** macOS has no setsid program, and starts processes without copying anything. */
function bestLeaders(): Leaders {
  const folders = ['/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'))]
  const setsid = folders.map((folder) => posix.join(folder, 'setsid')).find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  return process.platform === 'linux' && setsid !== undefined ? new LeaderPool(setsid) : leadersBySpawn
}

/** See LEADER_SCRIPT. Throws when there is no terminal left. */
function startInTerminal(native: NativePty, leaders: Leaders, start: ProcessStart, events: ProcessEvents): RunningProcess {
  const { master, slave, path } = openTerminal(native)
  let [group, pid, isOver, isReleased, isHeld]: [number | undefined, number | undefined, boolean, boolean, boolean] = [
    undefined,
    undefined,
    false,
    false,
    true,
  ]
  let isClosed = false
  const groups = (): number[] => (group === undefined ? [] : [group])
  // Held until the leader has opened it: a terminal nobody has open is at its end.
  const letGo = (): void => {
    if (isHeld) closeSync(slave)
    isHeld = false
  }
  const stream = readTerminal(
    master,
    withoutHeader(events.data, (found) => {
      group = found
      letGo()
      events.begun?.()
    }),
  )
  const leader = leaders.start(
    { ...start, terminal: path },
    {
      exit: (status) => {
        isOver = true
        letGo()
        events.exit(status)
      },
      error: (error) => {
        isReleased = true
        letGo()
        stream.destroy()
        events.error(error)
      },
    },
  )
  void leader.pid.then((known) => (pid = known))
  stream.once('close', () => {
    openMasters.delete(master)
    isClosed = true
    if (!isReleased) events.end()
  })
  return {
    get pid() {
      return group ?? pid
    },
    resume: () => void stream.resume(),
    write(data) {
      if (!isClosed) writeAll(master, Buffer.from(data), () => isClosed)
    },
    async stop(graceMs) {
      const known = pid ?? (await leader.pid)
      if (known === undefined) return
      await stopSession({ taskId: start.taskId, leader: known, leaderOnlyWaits: true, leaderIsGone: () => isOver, groups }, graceMs)
      letGo()
    },
    leftRunning: async () => (pid !== undefined && group !== undefined && signalGroup(group, 0) ? sessionProcesses(pid, [group]) : []),
    release() {
      isReleased = true
      isClosed = true
      letGo()
      stream.destroy()
    },
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

/** The terminal takes 4 KB at a time; while it is full, nobody reads, and what is typed waits. */
function writeAll(master: number, bytes: Buffer, isClosed: () => boolean): void {
  write(master, bytes, (error, written) => {
    if (isClosed()) return
    if (error && error.code !== 'EAGAIN') return
    const left = bytes.subarray(error ? 0 : written)
    if (left.length > 0) setTimeout(() => !isClosed() && writeAll(master, left, isClosed), error ? 50 : 0).unref()
  })
}

/** Passes on what comes after the first line, which `found` gets as a number. */
function withoutHeader(data: (bytes: Uint8Array) => boolean, found: (group: number) => void): (bytes: Uint8Array) => boolean {
  let header: string | undefined = ''
  return (bytes) => {
    if (header === undefined) return data(bytes)
    const end = bytes.indexOf(0x0a)
    header += Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('latin1')
    if (end < 0) return true
    const group = Number(header)
    header = undefined
    found(group)
    return end + 1 < bytes.length ? data(bytes.subarray(end + 1)) : true
  }
}
