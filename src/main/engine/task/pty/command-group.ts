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
import { errorCode } from '../../../../shared/error-text'

/** File descriptors per slot, in the current sandbox and in the prepared one: a terminal, twice, and its orders. */
const FILES_PER_SLOT = 16

/** How many commands share the cost of setting up a sandbox. */
export const SLOTS = maxConcurrent(FILES_PER_SLOT, 24)

interface Slot {
  terminal: OpenTerminal
  events: ShellEvents | undefined
  pid: PromiseWithResolvers<number | undefined>
  /** A shell was requested for it, possibly before a command needs it. */
  hasShell: boolean
  /** It waits for its order. */
  isReady: boolean
  command: ShellCommand | undefined
  isDismissed: boolean
  isOver: boolean
  orders: OrderPipe | undefined
}

/**
 * A sandbox with slots for a number of commands, one in each of its terminals. It inherits only its terminals and the
 * pipes for orders: nothing else of ours can be reached from inside.
 */
export class CommandGroup {
  private readonly namespace: CommandNamespace
  private readonly folder: string
  private readonly id: string
  private readonly slots: Slot[]
  private sandbox: GroupSandbox | undefined
  /** When a command last started or ended in it, in ms on the monotonic clock. */
  usedAt = performance.now()
  private next = 0
  private orders: OrderPipe | undefined
  /** The pid, outside the sandbox, of the process that starts its commands. */
  private supervisor: number | undefined
  private isGone = false
  private isRetired = false
  private failure: Error | undefined

  /**
   * Prepares everything but the sandbox itself: see `begin`. `folder` is exclusive to the group and removed with it.
   */
  constructor(namespace: CommandNamespace, native: NativePty, folder: string, sandbox?: GroupSandbox) {
    this.namespace = namespace
    this.folder = folder
    // The namespace script finds it there.
    if (sandbox) this.describe(sandbox)
    this.slots = openTerminals(native, SLOTS).map((terminal, index) => ({
      terminal,
      events: undefined,
      pid: Promise.withResolvers<number | undefined>(),
      hasShell: index === 0,
      isReady: false,
      command: undefined,
      isDismissed: false,
      isOver: false,
      orders: undefined,
    }))
    const paths = this.slots.map(({ terminal }) => terminal.path)
    this.id = namespace.start(folder, paths, (report) => this.onReport(report))
  }

  /** Starts its sandbox. Call it only once. */
  begin(sandbox: GroupSandbox): void {
    this.describe(sandbox)
    try {
      new OrderPipe(join(this.folder, 'orders')).end(`${sandbox.how}\n`)
    } catch {
      // The script does not read the pipe yet; it will find the file.
    }
  }

  private describe(sandbox: GroupSandbox): void {
    this.sandbox = sandbox
    writeArguments(this.folder, sandbox.args)
    writeFileSync(join(this.folder, 'how'), `${sandbox.how}\n`)
  }

  /** Whether another command fits. */
  get hasFreeSlot(): boolean {
    return !this.isGone && this.next < this.slots.length
  }

  /** How many more commands fit. */
  get freeSlots(): number {
    return this.isGone ? 0 : this.slots.length - this.next
  }

  get isLost(): boolean {
    return this.isGone
  }

  /** Whether any of its commands is running. */
  get isBusy(): boolean {
    return this.slots.some(({ events, isOver }) => events !== undefined && !isOver)
  }

  /** The terminal of the next slot; the caller closes both ends. */
  takeTerminal(): OpenTerminal {
    this.usedAt = performance.now()
    const slot = this.slots[this.next++]
    if (!slot) throw new Error('This sandbox has no room for another command.')
    return slot.terminal
  }

  /** Starts the shell of a slot; undefined if the terminal does not belong to this group. */
  start(terminal: OpenTerminal, events: ShellEvents): ShellProcess | undefined {
    const slot = this.slots.find((each) => each.terminal === terminal)
    if (!slot) return undefined
    slot.events = events
    if (this.isGone) queueMicrotask(() => this.fail(slot))
    else if (slot.isOver) queueMicrotask(() => this.fail(slot))
    else if (this.orders) this.startShell(slot)
    return {
      pid: slot.pid.promise,
      run: (command) => {
        slot.command = command
        this.namespace.hold()
        this.order(slot)
      },
      dismiss: () => {
        slot.isDismissed = true
        this.order(slot)
      },
    }
  }

  /** Releases the slots that were never used, and the sandbox once nothing runs in it. */
  retire(): void {
    this.isRetired = true
    for (const slot of this.slots.slice(this.next)) {
      if (slot.isReady) slot.orders?.end(DISMISSAL)
      closeTerminal(slot.terminal)
    }
    this.next = this.slots.length
    if (!this.sandbox) this.abandon()
    if (this.slots.every(({ events, isOver }) => events === undefined || isOver)) this.end()
  }

  private end(): void {
    this.orders?.end('end\n')
    for (const { orders } of this.slots) orders?.close()
  }

  private startShell(slot: Slot | undefined): void {
    if (!slot || slot.hasShell || !this.orders) return
    slot.hasShell = true
    this.orders.write(`${this.slots.indexOf(slot)}\n`)
  }

  /** Sends the order only to a shell that is ready. */
  private order(slot: Slot): void {
    if (!slot.isReady || !slot.orders) return
    if (slot.isDismissed) slot.orders.end(DISMISSAL)
    else if (slot.command) slot.orders.write(shellOrder(slot.command))
  }

  /**
   * Handles `ready N`, `gone`, or for a slot `pid N`, `failed`, `exit CODE`. A command can also send reports, through
   * the open files of the processes that run it. Such a report can misrepresent commands in its own sandbox, but must
   * not have any other effect.
   */
  private onReport(report: string): void {
    if (report === 'gone') return this.lost()
    const [index, what, number = ''] = report.split(' ')
    if (index === 'ready') return this.onReady(Number(what))
    const slot = this.slots[Number(index)]
    if (!slot || slot.isOver || !/^\d{0,9}$/.test(number)) return
    if (!slot.events && what !== 'pid') return this.skip(slot)
    if (what === 'pid') {
      slot.isReady = true
      this.order(slot)
      slot.pid.resolve(this.supervisor === undefined ? undefined : machinePid(this.supervisor, Number(number)))
    } else if (what === 'paused' && slot.events) askPaused(slot.events, (answer) => slot.orders?.write(answer))
    else if (what === 'failed') this.fail(slot, startProblem(slot.command?.cwd))
    else if (what === 'exit') this.exited(slot, { exitCode: Number(number) })
  }

  /** The shell of an unused slot has exited. */
  private skip(slot: Slot): void {
    slot.isOver = true
    if (slot !== this.slots[this.next]) return
    this.next += 1
    closeTerminal(slot.terminal)
  }

  private onReady(supervisor: number): void {
    if (this.orders || this.isGone || !this.sandbox) return
    try {
      // Without a free descriptor, the process lookup below finds nothing. That would look like a forged report, and we
      // would wait forever for ours.
      closeSync(openSync('/proc/self/stat', constants.O_RDONLY))
      const pid = this.namespace.supervisor(supervisor)
      // A forged report; ours is still to come.
      if (pid === undefined) return
      this.supervisor = pid
      const problem = this.sandbox.problemOf(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8'))
      if (problem !== undefined) throw new Error(problem)
      this.orders = new OrderPipe(join(this.folder, 'orders'))
      for (const [index, slot] of this.slots.entries()) slot.orders = new OrderPipe(join(this.folder, String(index)))
    } catch (error) {
      const found = error instanceof Error ? error : new Error(String(error))
      // The shell inside has the same limit and needs high descriptor numbers; at the limit, it cannot open the other
      // end of its orders.
      this.failure = isOpenFileLimitLow() && errorCode(found) === 'ENXIO' ? new Error(TOO_MANY_FILES) : found
      this.orders = undefined
      return this.lost()
    }
    removeQuietly(this.folder)
    if (this.isRetired && !this.isBusy) return this.end()
    for (const slot of this.slots) {
      if (slot.events) this.startShell(slot)
      this.order(slot)
    }
    this.sandbox.onReady()
  }

  private exited(slot: Slot, status: ExitStatus): void {
    slot.isOver = true
    this.usedAt = performance.now()
    slot.orders?.close()
    if (slot.command) this.namespace.release()
    if (slot.isReady) slot.events?.exit(status)
    else this.fail(slot)
    if (!this.hasFreeSlot && !this.isBusy) this.end()
    // Starting the shell takes half the time of a short command, so the next one is prepared now.
    else this.startShell(this.slots[this.next])
  }

  private fail(
    slot: Slot,
    error = this.failure ?? new Error(`The sandbox could not be started${this.reason()}`),
  ): void {
    if (slot.command && !slot.isOver) this.namespace.release()
    slot.isOver = true
    slot.pid.resolve(undefined)
    slot.events?.error(error)
  }

  private lost(): void {
    if (this.isGone) return
    const wasStarted = this.orders !== undefined && this.failure === undefined
    // A sandbox with wrong mounts must not run anything: it ends when its orders end.
    if (!wasStarted) this.abandon()
    if (!wasStarted) this.failure ??= new Error(`The sandbox could not be started${this.reason()}`)
    this.isGone = true
    this.namespace.forget(this.id)
    for (const { terminal } of this.slots.slice(this.next)) closeTerminal(terminal)
    this.next = this.slots.length
    for (const slot of this.slots) {
      if (!slot.events || slot.isOver) continue
      if (wasStarted && slot.isReady) this.exited(slot, { signal: 'SIGKILL' })
      else this.fail(slot)
    }
    this.orders?.close()
    for (const { orders } of this.slots) orders?.close()
    removeQuietly(this.folder)
    this.sandbox?.onGone()
  }

  private abandon(): void {
    try {
      new OrderPipe(join(this.folder, 'orders')).end('end\n')
    } catch {
      // The script never got that far.
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

/** The sandbox that a group runs its commands in. */
export interface GroupSandbox {
  /** Arguments of bubblewrap. */
  args: readonly string[]
  /** `template`: the mounts of the namespace's template plus those in `args`. */
  how: 'full' | 'template'
  /** Checks the resulting mounts before anything runs in it. Returns the problem, if any. */
  problemOf: (mountinfo: () => string) => string | undefined
  /** Called when commands can run in it. */
  onReady: () => void
  onGone: () => void
}

/** The pid, outside the sandbox, of the process group that a shell has started for its command: its only child. */
export function groupOf(shellPid: number | undefined): number | undefined {
  return shellPid === undefined ? undefined : childrenOf(shellPid)[0]
}

/**
 * A named pipe, open for writing without blocking. Most of a group's pipes are never written to, so the stream is made
 * with the first write.
 */
class OrderPipe {
  private fd: number | undefined
  private stream: Socket | undefined

  /** Throws if it has no reader. */
  constructor(path: string) {
    this.fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  }

  write(text: string): void {
    this.opened()?.write(text)
  }

  end(text: string): void {
    this.opened()?.end(text)
  }

  close(): void {
    this.stream?.destroy()
    if (this.fd !== undefined) closeSync(this.fd)
    this.fd = undefined
  }

  /** Undefined once it is closed. */
  private opened(): Socket | undefined {
    if (this.fd === undefined) return this.stream
    this.stream = new Socket({ fd: this.fd, readable: false, writable: true }).unref().on('error', () => {})
    this.fd = undefined
    return this.stream
  }
}

function closeTerminal({ master, slave }: OpenTerminal): void {
  openPtyMasters.delete(master)
  closeSync(slave)
  closeSync(master)
}

/** All or none: if one cannot be opened, the others are closed again. */
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
