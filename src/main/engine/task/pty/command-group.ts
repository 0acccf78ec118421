import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { openTerminal, type NativePty } from './open-terminal'
import { isOpenFileLimitLow, maxConcurrent, TOO_MANY_FILES } from '../../process/file-descriptors'
import { removeQuietly } from '../../sandbox/safe-fs'
import { writeArguments } from '../../sandbox/bubblewrap/sandbox-files'
import {
  askPaused,
  DISMISSAL,
  shellOrder,
  startProblem,
  type ShellProcess,
  type ShellCommand,
  type ShellEvents,
  openPtyMasters,
  type OpenTerminal,
  type ExitStatus,
} from '../../process/shell-process'
import { type CommandNamespace, childrenOf, machinePid } from './command-namespace'

/** What a place takes, in the sandbox that is used and in the one that is ready: a terminal, twice, and its orders. */
const FILES_OF_A_PLACE = 16

/** So many commands share what it costs to set a sandbox up. */
export const PLACES = maxConcurrent(FILES_OF_A_PLACE, 24)

interface Place {
  terminal: OpenTerminal
  events: ShellEvents | undefined
  pid: PromiseWithResolvers<number | undefined>
  /** Its leader was asked for; it can be before anybody wants it. */
  isLed: boolean
  /** It waits for its order. */
  isReady: boolean
  command: ShellCommand | undefined
  isDismissed: boolean
  isOver: boolean
  orders: Socket | undefined
}

/**
 * A sandbox with room for a number of commands, one in each of its terminals. What is inherited from outside are its terminals and the orders for each: nothing else of
 * ours can be reached from inside.
 */
export class CommandGroup {
  private readonly namespace: CommandNamespace
  private readonly folder: string
  private readonly id: string
  private readonly places: Place[]
  private sandbox: GroupSandbox | undefined
  /** When a command last began or ended in it; ms since the epoch. */
  usedAt = performance.now()
  private next = 0
  private orders: Socket | undefined
  /** The machine's number of the process that starts its commands. */
  private supervisor: number | undefined
  private isGone = false
  private isRetired = false
  private failure: Error | undefined

  /**
   * Gets everything ready but the sandbox itself: see `begin`. `folder` is used by nothing else, and is removed with the group.
   */
  constructor(namespace: CommandNamespace, native: NativePty, folder: string, sandbox?: GroupSandbox) {
    this.namespace = namespace
    this.folder = folder
    // What follows finds it there.
    if (sandbox) this.describe(sandbox)
    this.places = openTerminals(native, PLACES).map((terminal, index) => ({
      terminal,
      events: undefined,
      pid: Promise.withResolvers<number | undefined>(),
      isLed: index === 0,
      isReady: false,
      command: undefined,
      isDismissed: false,
      isOver: false,
      orders: undefined,
    }))
    const paths = this.places.map(({ terminal }) => terminal.path)
    this.id = namespace.start(folder, paths, (report) => this.onReport(report))
  }

  /** Starts its sandbox; once. */
  begin(sandbox: GroupSandbox): void {
    this.describe(sandbox)
    try {
      writer(join(this.folder, 'orders')).end(`${sandbox.how}\n`)
    } catch {
      // It has not come so far, and will find the file.
    }
  }

  private describe(sandbox: GroupSandbox): void {
    this.sandbox = sandbox
    writeArguments(this.folder, sandbox.args)
    writeFileSync(join(this.folder, 'how'), `${sandbox.how}\n`)
  }

  /** Whether another command fits in. */
  get hasRoom(): boolean {
    return !this.isGone && this.next < this.places.length
  }

  /** So many commands still fit in. */
  get room(): number {
    return this.isGone ? 0 : this.places.length - this.next
  }

  get isLost(): boolean {
    return this.isGone
  }

  /** Whether a command of it runs. */
  get isBusy(): boolean {
    return this.places.some(({ events, isOver }) => events !== undefined && !isOver)
  }

  /** The terminal of the next place; who takes it closes both ends. */
  takeTerminal(): OpenTerminal {
    this.usedAt = performance.now()
    const place = this.places[this.next++]
    if (!place) throw new Error('This sandbox has no room for another command.')
    return place.terminal
  }

  /** Starts the leader of a place; undefined when the terminal is not one of this group. */
  start(terminal: OpenTerminal, events: ShellEvents): ShellProcess | undefined {
    const place = this.places.find((each) => each.terminal === terminal)
    if (!place) return undefined
    place.events = events
    if (this.isGone) queueMicrotask(() => this.fail(place))
    else if (place.isOver) queueMicrotask(() => this.fail(place))
    else if (this.orders) this.lead(place)
    return {
      pid: place.pid.promise,
      run: (command) => {
        place.command = command
        this.namespace.hold()
        this.order(place)
      },
      dismiss: () => {
        place.isDismissed = true
        this.order(place)
      },
    }
  }

  /** Lets go of the places that were never used, and of the sandbox when nothing runs in it any more. */
  retire(): void {
    this.isRetired = true
    for (const place of this.places.slice(this.next)) {
      if (place.isReady) place.orders?.end(DISMISSAL)
      closeTerminal(place.terminal)
    }
    this.next = this.places.length
    if (!this.sandbox) this.abandon()
    if (this.places.every(({ events, isOver }) => events === undefined || isOver)) this.end()
  }

  private end(): void {
    this.orders?.end('end\n')
    for (const { orders } of this.places) orders?.destroy()
  }

  private lead(place: Place | undefined): void {
    if (!place || place.isLed || !this.orders) return
    place.isLed = true
    this.orders.write(`${this.places.indexOf(place)}\n`)
  }

  /** Only to a leader that is ready. */
  private order(place: Place): void {
    if (!place.isReady || !place.orders) return
    if (place.isDismissed) place.orders.end(DISMISSAL)
    else if (place.command) place.orders.write(shellOrder(place.command))
  }

  /**
   * `ready N`, `gone`, or of a place: `pid N`, `failed`, `exit CODE`. A command can send reports too: through the open files of the processes that run it. It can so say
   * something untrue of commands in its own sandbox, and must not be able to do more.
   */
  private onReport(report: string): void {
    if (report === 'gone') return this.lost()
    const [index, what, number = ''] = report.split(' ')
    if (index === 'ready') return this.onReady(Number(what))
    const place = this.places[Number(index)]
    if (!place || place.isOver || !/^\d{0,9}$/.test(number)) return
    if (!place.events && what !== 'pid') return this.skip(place)
    if (what === 'pid') {
      place.isReady = true
      this.order(place)
      place.pid.resolve(this.supervisor === undefined ? undefined : machinePid(this.supervisor, Number(number)))
    } else if (what === 'paused' && place.events) askPaused(place.events, (answer) => place.orders?.write(answer))
    else if (what === 'failed') this.fail(place, startProblem(place.command?.cwd))
    else if (what === 'exit') this.exited(place, { exitCode: Number(number) })
  }

  /** The leader of a place that nobody has wanted yet is gone. */
  private skip(place: Place): void {
    place.isOver = true
    if (place !== this.places[this.next]) return
    this.next += 1
    closeTerminal(place.terminal)
  }

  private onReady(supervisor: number): void {
    if (this.orders || this.isGone || !this.sandbox) return
    try {
      // What is read of processes below says nothing where no file can be opened: that would look like somebody else's report, and ours would be waited for without end.
      closeSync(openSync('/proc/self/stat', constants.O_RDONLY))
      const pid = this.namespace.supervisor(supervisor)
      // Somebody else's report; ours is still to come.
      if (pid === undefined) return
      this.supervisor = pid
      const problem = this.sandbox.problemOf(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8'))
      if (problem !== undefined) throw new Error(problem)
      this.orders = writer(join(this.folder, 'orders'))
      for (const [index, place] of this.places.entries()) place.orders = writer(join(this.folder, String(index)))
    } catch (error) {
      const found = error instanceof Error ? error : new Error(String(error))
      // The shell inside has the same limit as we, and needs descriptors with high numbers: the other end of its orders stays closed.
      this.failure =
        isOpenFileLimitLow() && 'code' in found && found.code === 'ENXIO' ? new Error(TOO_MANY_FILES) : found
      this.orders = undefined
      return this.lost()
    }
    removeQuietly(this.folder)
    if (this.isRetired && !this.isBusy) return this.end()
    for (const place of this.places) {
      if (place.events) this.lead(place)
      this.order(place)
    }
    this.sandbox.onReady()
  }

  private exited(place: Place, status: ExitStatus): void {
    place.isOver = true
    this.usedAt = performance.now()
    place.orders?.destroy()
    if (place.command) this.namespace.release()
    if (place.isReady) place.events?.exit(status)
    else this.fail(place)
    if (!this.hasRoom && !this.isBusy) this.end()
    // Half of the time that a short command takes goes to its leader: the next one is made ready meanwhile.
    else this.lead(this.places[this.next])
  }

  private fail(
    place: Place,
    error = this.failure ?? new Error(`The sandbox could not be started${this.reason()}`),
  ): void {
    if (place.command && !place.isOver) this.namespace.release()
    place.isOver = true
    place.pid.resolve(undefined)
    place.events?.error(error)
  }

  private lost(): void {
    if (this.isGone) return
    const wasStarted = this.orders !== undefined && this.failure === undefined
    // A sandbox that is not as it should be runs nothing: it ends as its orders do.
    if (!wasStarted) this.abandon()
    if (!wasStarted) this.failure ??= new Error(`The sandbox could not be started${this.reason()}`)
    this.isGone = true
    this.namespace.forget(this.id)
    for (const { terminal } of this.places.slice(this.next)) closeTerminal(terminal)
    this.next = this.places.length
    for (const place of this.places) {
      if (!place.events || place.isOver) continue
      if (wasStarted && place.isReady) this.exited(place, { signal: 'SIGKILL' })
      else this.fail(place)
    }
    removeQuietly(this.folder)
    this.sandbox?.onGone()
  }

  private abandon(): void {
    try {
      writer(join(this.folder, 'orders')).end('end\n')
    } catch {
      // It has never come so far.
    }
  }

  private reason(): string {
    try {
      const text = readFileSync(join(this.folder, 'errors'), 'utf8').trim()
      return text === '' ? '.' : `: ${text}`
    } catch {
      return '.'
    }
  }
}

/** What a group is to run its commands in. */
export interface GroupSandbox {
  /** Of bubblewrap. */
  args: readonly string[]
  /** `template`: with the mounts of the namespace's template, and what the arguments add. */
  how: 'full' | 'template'
  /** Judges the mounts it got, before anything runs in it. */
  problemOf: (mountinfo: () => string) => string | undefined
  /** Its commands can run from now on. */
  onReady: () => void
  onGone: () => void
}

/** The machine's number of the process group a leader has started for its command: its only child. */
export function groupOf(leader: number | undefined): number | undefined {
  return leader === undefined ? undefined : childrenOf(leader)[0]
}

/** Writes to a named pipe that somebody reads already; without waiting for one who does not. */
function writer(path: string): Socket {
  const socket = new Socket({
    fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK),
    readable: false,
    writable: true,
  })
  socket.unref()
  return socket.on('error', () => {})
}

function closeTerminal({ master, slave }: OpenTerminal): void {
  openPtyMasters.delete(master)
  closeSync(slave)
  closeSync(master)
}

/** All or none: those that were opened before one could not be are closed again. */
function openTerminals(native: NativePty, count: number): OpenTerminal[] {
  const terminals: OpenTerminal[] = []
  try {
    for (let n = 0; n < count; n += 1) terminals.push(openTerminal(native))
    return terminals
  } catch (error) {
    for (const terminal of terminals) closeTerminal(terminal)
    throw error
  }
}
