import { closeSync, readSync, write } from 'node:fs'
import { ReadStream } from 'node:tty'
import { openTerminal, type NativePty } from './open-terminal'
import type { ProcessEvents, ProcessStart, RunningProcess } from '../running-process'
import { groupOf } from './command-group'
import {
  RESUMED,
  GONE,
  type ShellProcess,
  type ShellLauncher,
  openPtyMasters,
  type ExitStatus,
  type Subreaper,
} from '../../process/shell-process'
import {
  sessionProcesses,
  signalGroup,
  type SessionProcess,
  killProcessTree,
} from '../../process/kill/kill-process-tree'
import { readStat } from '../../process/proc-files'
import { isAliveState, processTable } from '../../process/process-table'

/**
 * Limit of a single read after a command has ended, in bytes: many times the kernel's terminal buffer, so it covers all
 * of the command's own output, while endless output of a background process cannot block us.
 */
const MAX_READ_AT_ONCE = 256 * 1024
/** How often a stopped command is checked for being resumed. */
const PAUSED_POLL_MS = 200
let readAllBuffer: Buffer | undefined

/** Filled by the event loop right before each call of `data`, so one buffer serves all terminals. */
let readBuffer: Buffer | undefined

/**
 * A terminal with a shell that has it open: all that a command needs except the command. This takes half the time of a
 * short command, so one is prepared while the model thinks. Serves one command. See SHELL_SCRIPT.
 */
export class CommandTerminal implements RunningProcess {
  private readonly master: number
  private readonly slave: number
  private readonly stream: ReadStream
  private readonly shell: ShellProcess
  /** Its processes have other pids inside than outside. */
  private readonly isSandboxed: boolean
  private readonly launcher: ShellLauncher
  private startedAt = 0
  private events: ProcessEvents | undefined
  private taskId = ''
  private shellPid: number | undefined
  private group: number | undefined
  /** The first line of the output, until it is complete. */
  private header: string | undefined = ''
  /** Why the shell could not be started. */
  private problem: Error | undefined
  private exit: ExitStatus | undefined
  /** The command is stopped by a signal, or was until it ended. */
  private isPaused = false
  private isStopping = false
  private isReleased = false
  private isClosed = false
  /**
   * The programs' end is held open until the command has started: reading a terminal that no process has open reports
   * its end.
   */
  private isSlaveOpen = true

  /** Throws when there is no terminal left. Until `run`, it does not keep our process alive. */
  constructor(native: NativePty, launcher: ShellLauncher, env: Record<string, string>) {
    const terminal = launcher.open?.() ?? openTerminal(native)
    const { master, slave } = terminal
    this.isSandboxed = launcher.open !== undefined
    this.launcher = launcher
    this.master = master
    this.slave = slave
    this.stream = readTerminal(master, (bytes) => this.onBytes(bytes))
    this.stream.unref()
    this.stream.once('close', () => {
      openPtyMasters.delete(master)
      this.isClosed = true
      if (!this.isReleased) this.events?.end()
    })
    this.shell = launcher.start(terminal, env, {
      exit: (status) => this.onExit(status),
      paused: (answer) => this.onPaused(answer),
      error: (error) => this.onError(error),
    })
    void this.shell.pid.then((known) => (this.shellPid = known))
  }

  /** The shell has ended, or never started. */
  get isOver(): boolean {
    return this.exit !== undefined || this.problem !== undefined
  }

  /**
   * Releases a terminal that has no command, but only after its shell has opened the terminal: otherwise, the path
   * could belong to another terminal by the time the shell opens it.
   */
  dismiss(): void {
    this.shell.dismiss()
    void this.shell.pid.then(() => this.release())
  }

  run({ taskId, command, cwd, shell }: ProcessStart, events: ProcessEvents): RunningProcess {
    this.events = events
    this.taskId = taskId
    this.startedAt = Date.now()
    this.stream.ref()
    this.shell.run({ taskId, command, cwd, shell })
    return this
  }

  get pid(): number | undefined {
    return this.group ?? this.shellPid
  }

  resume(): void {
    this.stream.resume()
  }

  /**
   * Reading first makes the kernel deliver what was written to the terminal, so when nothing more can be read,
   * everything written before has been read. The event loop cannot guarantee that: it learns of output only when the
   * kernel delivers it, which on a busy machine can be long after the command has exited.
   */
  readAll(): void {
    const buffer = (readAllBuffer ??= Buffer.allocUnsafeSlow(16 * 1024))
    for (let left = MAX_READ_AT_ONCE; left > 0 && !this.isClosed && !this.stream.destroyed;) {
      const count = readNow(this.master, buffer)
      if (count === 0) return
      left -= count
      this.onBytes(buffer.subarray(0, count))
    }
  }

  async isStillFiltered(): Promise<boolean> {
    const { shellPid, group } = this
    if (shellPid === undefined || group === undefined || !signalGroup(group, 0)) return false
    const { isFilterRunning } = await import('./running-filter')
    return isFilterRunning(await processTable(), shellPid)
  }

  write(data: string): void {
    this.writeAll(Buffer.from(data))
  }

  async stop(graceMs: number): Promise<void> {
    this.isStopping = true
    const shellPid = this.shellPid ?? (await this.shell.pid)
    if (shellPid === undefined) return
    const groups = (): number[] => (this.group === undefined ? [] : [this.group])
    const isShellGone = (): boolean => this.exit !== undefined
    const subreaper = (): Subreaper | undefined => this.shell.subreaper?.()
    await killProcessTree(
      { taskId: this.taskId, shellPid, shellOnlyWaits: true, isShellGone, groups, subreaper },
      graceMs,
    )
    this.closeSlave()
  }

  async leftRunning(): Promise<SessionProcess[]> {
    const { shellPid, group } = this
    const subreaper = this.shell.subreaper?.()
    return shellPid !== undefined && group !== undefined && (subreaper || signalGroup(group, 0))
      ? sessionProcesses(shellPid, [group], subreaper)
      : []
  }

  deniedHosts(): { host: string; port: number }[] {
    return this.launcher.deniedHosts?.(this.startedAt) ?? []
  }

  isIncomplete(): boolean {
    return this.launcher.isIncomplete?.() ?? false
  }

  notes(): string[] {
    if (!this.isPaused) return []
    const [is, ends] = this.exit ? ['was', ' until it was ended'] : ['is', '']
    // In a sandbox, processes have other pids for each other.
    const who = this.isSandboxed ? 'PID' : `-- -${this.group}`
    return [
      `The command ${is} stopped by a signal (SIGSTOP, SIGTSTP, SIGTTIN or SIGTTOU), and nothing continued ` +
        `it${ends}: "kill -CONT ${who}" in another command does. A command should not stop its own shell.`,
    ]
  }

  release(): void {
    this.isReleased = true
    this.isClosed = true
    this.closeSlave()
    this.stream.destroy()
  }

  private onExit(status: ExitStatus): void {
    this.exit = status
    // It was resumed without our noticing: a command ended by a signal would have no such exit code.
    if (status.exitCode !== undefined && status.exitCode < 128) this.isPaused = false
    this.closeSlave()
    this.readAll()
    if (this.events) this.events.exit(status)
    else this.release()
  }

  /** Polls whether the command is still stopped. */
  private onPaused(answer: (text: typeof RESUMED | typeof GONE) => void): void {
    // The process group is the first line of the output.
    this.readAll()
    const state = this.group === undefined ? undefined : readStat(this.group)?.state
    if (!this.isPaused && state !== 'T') return answer(GONE)
    if (state === 'T' || state === 't') {
      this.isPaused = true
      setTimeout(() => this.onPaused(answer), PAUSED_POLL_MS).unref()
      return
    }
    // A command that was ended while stopped has never been resumed.
    this.isPaused = this.isStopping || state === undefined || !isAliveState(state)
    answer(RESUMED)
  }

  private onError(error: Error): void {
    this.problem = error
    this.release()
    this.events?.error(error)
  }

  private onBytes(bytes: Uint8Array): boolean {
    if (!this.events) return true
    if (this.header === undefined) return this.events.data(bytes)
    const end = bytes.indexOf(0x0a)
    this.header += Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('latin1')
    if (end < 0) return true
    this.group = this.isSandboxed ? groupOf(this.shellPid) : Number(this.header)
    this.header = undefined
    this.closeSlave()
    this.events.started?.()
    return end + 1 < bytes.length ? this.events.data(bytes.subarray(end + 1)) : true
  }

  /** The terminal takes 4 KB at a time; while it is full, no program reads it, and input waits. */
  private writeAll(bytes: Buffer): void {
    if (this.isClosed) return
    write(this.master, bytes, (error, written) => {
      if (this.isClosed || (error && error.code !== 'EAGAIN')) return
      const left = bytes.subarray(error ? 0 : written)
      if (left.length > 0) setTimeout(() => this.writeAll(left), error ? 50 : 0).unref()
    })
  }

  private closeSlave(): void {
    if (this.isSlaveOpen) closeSync(this.slave)
    this.isSlaveOpen = false
  }
}

/** 0 if there is nothing to read now, or ever again. */
function readNow(file: number, buffer: Buffer): number {
  try {
    return readSync(file, buffer)
  } catch {
    return 0
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
